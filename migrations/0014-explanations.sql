-- Up Migration
-- What happened during the capture; null unless the request had `explain`.

alter table screenshots add column explanation jsonb;
