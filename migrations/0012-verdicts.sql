-- Up Migration
-- What a screenshot shows: the page, or something in its place.

alter table screenshots add column verdict text;                       -- null: not done, or captured before there were verdicts
alter table screenshots add column verdict_reason text;                -- null for `ok`
