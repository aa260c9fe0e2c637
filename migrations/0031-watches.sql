-- Up Migration
-- Watches: pages that are captured again and again, and compared. A run and its capture have the same id.

create table watches (
  id               uuid primary key,                                   -- UUIDv7
  user_id          uuid not null references users on delete cascade,
  key_id           uuid,                                               -- whose rules its captures have; null: the dashboard
  name             text not null,
  url              text not null,
  options          jsonb not null,                                     -- as given, without the values of secret ones
  request          bytea not null,                                     -- encrypted: the options as given, and the outputs of a run
  every            text,
  cron             text,
  time_zone        text not null,
  compare_by       text not null check (compare_by in ('pixels', 'text', 'both')),
  threshold        double precision not null,
  ignore_selectors text[] not null,
  webhook_url      text,
  learned          smallint not null default 0,                        -- runs that it has learned from
  is_failing       boolean not null default false,                     -- the latest run failed, which has been reported
  accepted_run_id  uuid,                                               -- what runs are compared with
  reported_run_id  uuid,                                               -- the latest change that has been reported since then
  latest_run_id    uuid,                                               -- of those with an image
  seen             text[] not null default '{}',                       -- hashes of the regions that have been reported since then
  next_run_at      timestamptz,                                        -- null: paused
  idempotency_key  text,
  request_hash     bytea,
  created_at       timestamptz not null default now(),
  check ((every is null) <> (cron is null))
);
create index watches_of_user on watches (user_id, id desc);
create index watches_due on watches (next_run_at) where next_run_at is not null;
create unique index watches_idempotency on watches (user_id, idempotency_key) where idempotency_key is not null;

create table watch_runs (
  id               uuid primary key,                                   -- UUIDv7
  watch_id         uuid not null references watches on delete cascade,
  status           text not null check (status in ('queued', 'running', 'learning', 'unchanged', 'changed', 'failed')),
  is_captured      boolean not null default true,                      -- false: its capture could not even be queued
  screenshot_id    uuid,                                               -- its image; null: none
  compared_with_id uuid,                                               -- run
  comparison       jsonb,
  is_reported      boolean not null default false,
  accepted_at      timestamptz,
  error_code       text,
  error_message    text,
  created_at       timestamptz not null default now(),
  captured_at      timestamptz,                                        -- when its comparison began to wait
  ended_at         timestamptz
);
create unique index watch_runs_open on watch_runs (watch_id) where status in ('queued', 'running');
create index watch_runs_of_watch on watch_runs (watch_id, id desc);
create index watch_runs_queued on watch_runs (id) where status = 'queued';
create index watch_runs_created_at on watch_runs (created_at);

create table watch_muted (
  id         uuid primary key,                                         -- UUIDv7
  watch_id   uuid not null references watches on delete cascade,
  selector   text,
  box        jsonb,
  is_learned boolean not null,
  name       text not null,
  created_at timestamptz not null default now(),
  check ((selector is null) <> (box is null))
);
create unique index watch_muted_selectors on watch_muted (watch_id, selector) where selector is not null;
create unique index watch_muted_boxes on watch_muted (watch_id, box) where box is not null;
