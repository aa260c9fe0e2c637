-- Up Migration
-- Connections to the browser endpoint: one row for each, with the minutes that it has begun.

create table browser_sessions (
  id         uuid primary key,
  user_id    uuid not null references users on delete cascade,
  key_id     uuid not null,                                            -- no foreign key: history outlives keys
  started_at timestamptz not null default now(),
  minutes    integer not null default 1 check (minutes > 0),           -- each costs as much of the quota as a screenshot
  ended_at   timestamptz,                                              -- null: it runs, or its process was killed
  end_reason text
);
create index browser_sessions_user_id on browser_sessions (user_id, started_at);
create index browser_sessions_started_at on browser_sessions (started_at);
