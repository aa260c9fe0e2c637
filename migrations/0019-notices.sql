-- Up Migration
-- Notices that were mailed. The row is the right to send one: of several replicas, the one that inserts it sends.

create table notices (
  user_id    uuid not null references users on delete cascade,
  kind       text not null check (kind in ('quota-80', 'quota-100', 'key-expires')),
  subject    text not null,                                            -- what it is about: the quota month's start, or key and expiry
  created_at timestamptz not null default now(),
  primary key (user_id, kind, subject)
);
create index notices_created_at on notices (created_at);
create index api_keys_expires_at on api_keys (expires_at) where revoked_at is null and expires_at is not null;
