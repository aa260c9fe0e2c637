-- Up Migration
-- Captures that outlive a request, and those of requests with an Idempotency-Key. Their outputs are in screenshots, by capture_id.

create table captures (
  id              uuid primary key,                                    -- UUIDv7; also the id of its job
  user_id         uuid not null references users on delete cascade,
  key_id          uuid,                                                -- null: playground
  status          text not null check (status in ('queued', 'running', 'done', 'failed', 'canceled')),
  turn            integer,                                             -- of queued ones: the lowest goes first, fair between accounts
  request         bytea,                                               -- encrypted; null once it has ended
  result          jsonb,                                               -- once it has ended: its outputs, or why there are none
  idempotency_key text,
  request_hash    bytea,
  created_at      timestamptz not null default now(),
  started_at      timestamptz,
  ended_at        timestamptz,
  expires_at      timestamptz not null                                 -- retention
);
create unique index captures_idempotency on captures (user_id, idempotency_key) where idempotency_key is not null;
create index captures_turns on captures (turn) where status = 'queued';
create index captures_own_turns on captures (user_id, turn) where status = 'queued';
create index captures_open on captures (created_at) where status in ('queued', 'running');
create index captures_expiry on captures (expires_at);
