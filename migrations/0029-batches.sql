-- Up Migration
-- Batches: many captures of one request. What each captures, and what came of it, is in captures.

create table batches (
  id              uuid primary key,                                    -- UUIDv7
  user_id         uuid not null references users on delete cascade,
  total           integer not null check (total > 0),
  webhook_url     text,
  idempotency_key text,
  request_hash    bytea,
  created_at      timestamptz not null default now(),
  ended_at        timestamptz,                                         -- when its last capture ended
  expires_at      timestamptz not null                                 -- retention
);
create unique index batches_idempotency on batches (user_id, idempotency_key) where idempotency_key is not null;
create index batches_open on batches (created_at) where ended_at is null;
create index batches_expiry on batches (expires_at);

alter table captures
  add column batch_id uuid references batches on delete cascade,
  add column position integer,                                         -- in the batch's request, from 0
  add column name text;                                                -- unique in the batch: for files
create index captures_batch on captures (batch_id, position) where batch_id is not null;
