-- Up Migration
-- Several outputs of one capture: each is a screenshot, and only one of them takes a screenshot of the quota.

alter table screenshots
  add column capture_id uuid,
  add column output text,
  add column costs smallint not null default 1 check (costs in (0, 1));
create index screenshots_capture on screenshots (capture_id) where capture_id is not null;
