-- Up Migration
-- A recording costs one screenshot for each 5 of at most 30 seconds. Existing rows are not checked again: they have at most 1.

alter table screenshots
  drop constraint screenshots_costs_check,
  add constraint screenshots_costs_check check (costs between 0 and 6) not valid;
