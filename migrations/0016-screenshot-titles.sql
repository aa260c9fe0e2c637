-- Up Migration
-- The title of the page, for the list of screenshots.

alter table screenshots add column title text;                         -- null: none, not done, or captured before titles were kept
