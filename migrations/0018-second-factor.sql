-- Up Migration
-- A second factor: codes of an authenticator app with recovery codes, and passkeys. Secret and codes are encrypted with AUTH_SECRET.

alter table users add column two_factor_enabled boolean not null default false;

create table two_factors (
  id                        uuid primary key default gen_random_uuid(),
  user_id                   uuid not null references users on delete cascade,
  secret                    text not null,
  backup_codes              text not null,
  verified                  boolean not null default true,            -- false: being set up
  failed_verification_count integer not null default 0,
  locked_until              timestamptz
);
create index two_factors_user_id on two_factors (user_id);
create index two_factors_secret on two_factors (secret);

create table passkeys (
  id            uuid primary key default gen_random_uuid(),
  user_id       uuid not null references users on delete cascade,
  name          text,
  public_key    text not null,
  credential_id text not null unique,
  counter       integer not null,
  device_type   text not null,
  backed_up     boolean not null,
  transports    text,
  aaguid        text,
  created_at    timestamptz default now()
);
create index passkeys_user_id on passkeys (user_id);
