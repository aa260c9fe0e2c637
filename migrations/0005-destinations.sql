-- Up Migration
-- Buckets of accounts, to which stored screenshots are copied. A copy is a delivery: webhook_deliveries has its state and its tries.

create table destinations (
  id            uuid primary key,                                       -- UUIDv7
  user_id       uuid not null references users on delete cascade,
  name          text not null,
  endpoint      text not null,                                          -- URL of the S3 server
  bucket        text not null,
  region        text not null,
  path_style    boolean not null,                                       -- the bucket is in the path instead of the host
  template      text not null,                                          -- of the objects' keys
  sealed        bytea not null,                                         -- encrypted: the access key
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  copied_at     timestamptz,                                            -- the latest copy or test that arrived
  error         text,                                                   -- why the latest copy or test failed; null: it arrived
  error_at      timestamptz,
  unique (user_id, name)
);

alter table webhook_deliveries
  add column screenshot_id  uuid,                                       -- copies only, as are the next four: the screenshot
  add column destination_id uuid,                                       -- no foreign key: a copy outlives its destination
  add column destination    text,                                       -- its name, which outlives it
  add column object_key     text,                                       -- in the bucket; null: there was no destination
  add column expires_at     timestamptz;                                -- as the screenshot's, but at least 30 days

create unique index webhook_deliveries_copies on webhook_deliveries (screenshot_id, destination) where screenshot_id is not null;
create index webhook_deliveries_expiry on webhook_deliveries (expires_at) where expires_at is not null;
-- Copies have a time of their own.
drop index webhook_deliveries_created_at;
create index webhook_deliveries_created_at on webhook_deliveries (created_at) where expires_at is null;
