-- Up Migration
-- Sessions of pages that need a sign-in: cookies and storage that captures start with.

create table page_sessions (
  id           uuid primary key,                                       -- UUIDv7
  user_id      uuid not null references users on delete cascade,
  key_id       uuid,                                                   -- key that saved it; null: the dashboard
  name         text not null,
  version      integer not null default 1,                             -- counts the states; part of the identity of cached screenshots
  hosts        text[] not null,                                        -- that it may be used for; ".example.com" includes subdomains
  sealed       bytea not null,                                         -- encrypted: the state
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now(),
  last_used_at timestamptz,                                            -- to the minute
  unique (user_id, name)
);

alter table audit_entries drop constraint audit_entries_via_check;
alter table audit_entries add constraint audit_entries_via_check check (via in ('dashboard', 'api', 'command', 'billing', 'service'));
