-- Up Migration
-- Who changed what of accounts, keys, plans, invitations and sign-in settings. Kept for a year.
-- No foreign keys: an entry outlives what it is about.

create table audit_entries (
  id         uuid primary key,                                         -- UUIDv7: ordered by time
  created_at timestamptz not null default now(),
  action     text not null,                                            -- "key.revoked"; the part before the dot is its kind
  via        text not null check (via in ('dashboard', 'command', 'billing', 'service')),
  actor_id   uuid,                                                     -- null: no user
  ip         text,
  account_id uuid,                                                     -- the account that it concerns; null: the whole service
  subject    text,                                                     -- what was changed, for display: a key's name and hint
  subject_id text,
  changes    jsonb not null default '[]'                               -- [{"field", "from", "to"}]
);
create index audit_entries_of_account on audit_entries (account_id, id desc);
create index audit_entries_of_actor on audit_entries (actor_id, id desc);
create index audit_entries_created_at on audit_entries (created_at);
