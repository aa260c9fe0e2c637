-- Up Migration
-- Accounts (the auth library's core tables in snake_case), plans, keys, usage, screenshots. PostgreSQL 13 or later.

create table users (
  id             uuid primary key default gen_random_uuid(),
  name           text not null,
  email          text not null unique check (email = lower(email)),
  email_verified boolean not null default false,
  image          text,
  role           text not null default 'user' check (role in ('user', 'admin')),
  created_at     timestamptz not null default now(),
  updated_at     timestamptz not null default now()
);

create table sessions (
  id         uuid primary key default gen_random_uuid(),
  user_id    uuid not null references users on delete cascade,
  token      text not null unique,
  expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index sessions_user_id on sessions (user_id);
create index sessions_expires_at on sessions (expires_at);

-- One row per way to sign in.
create table identities (
  id                       uuid primary key default gen_random_uuid(),
  user_id                  uuid not null references users on delete cascade,
  provider_id              text not null,
  account_id               text not null,
  password                 text,
  access_token             text,
  refresh_token            text,
  id_token                 text,
  access_token_expires_at  timestamptz,
  refresh_token_expires_at timestamptz,
  scope                    text,
  created_at               timestamptz not null default now(),
  updated_at               timestamptz not null default now(),
  unique (provider_id, account_id)
);
create index identities_user_id on identities (user_id);

create table verifications (
  id         uuid primary key default gen_random_uuid(),
  identifier text not null,
  value      text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index verifications_identifier on verifications (identifier);

create table plans (
  id                 text primary key,
  name               text not null,
  rate_limit         integer check (rate_limit > 0),                   -- requests per minute; null: RATE_LIMIT_MAX_REQUESTS per RATE_LIMIT_WINDOW_MS
  monthly_quota      integer check (monthly_quota >= 0),               -- null: unlimited
  max_keys           integer not null default 10 check (max_keys > 0),
  retention_days     integer not null default 30 check (retention_days > 0),
  billing_product_id text unique,                                      -- product at the billing provider that grants this plan
  rank               smallint not null unique,                         -- the highest wins when several products are active
  is_public          boolean not null default true
);
insert into plans (id, name, rate_limit, monthly_quota, max_keys, retention_days, rank, is_public) values
  ('free', 'Free', 10, 100, 3, 7, 0, true),
  ('pro', 'Pro', 60, 1000, 20, 30, 10, true),
  ('enterprise', 'Enterprise', 600, null, 100, 365, 20, false);

-- No row: the user is on 'free' with calendar months.
create table subscriptions (
  user_id                  uuid primary key references users on delete cascade,
  plan_id                  text not null references plans,
  source                   text not null check (source in ('billing', 'manual')),
  status                   text not null check (status in ('trialing', 'active', 'past_due', 'canceled')),
  provider_customer_id     text unique,
  provider_subscription_id text unique,
  anchor                   timestamptz not null,                       -- start of the first quota month
  current_period_end       timestamptz,
  cancel_at_period_end     boolean not null default false,
  rate_limit_override      integer check (rate_limit_override > 0),    -- null: the plan's
  monthly_quota_override   integer check (monthly_quota_override >= 0), -- null: the plan's
  updated_at               timestamptz not null default now()
);

-- What each account may do right now. A canceled subscription grants its plan until the period that was paid for ends.
create view account_plans as
  select u.id as user_id,
         p.id as plan_id,
         coalesce(s.rate_limit_override, p.rate_limit) as rate_limit,
         coalesce(s.monthly_quota_override, p.monthly_quota) as monthly_quota,
         p.max_keys,
         p.retention_days,
         s.anchor
    from users u
    left join subscriptions s on s.user_id = u.id and (s.status <> 'canceled' or s.current_period_end > now())
    join plans p on p.id = coalesce(s.plan_id, 'free');

-- Each webhook is processed exactly once.
create table billing_events (
  id           text primary key,                                       -- the webhook's id
  type         text not null,
  payload      jsonb not null,
  received_at  timestamptz not null default now(),
  processed_at timestamptz
);
create index billing_events_todo on billing_events (received_at) where processed_at is null;

create table api_keys (
  id                   uuid primary key default gen_random_uuid(),
  user_id              uuid not null references users on delete cascade,
  name                 text not null check (length(name) between 1 and 100),
  hash                 bytea not null unique check (octet_length(hash) = 32), -- SHA-256 of the whole key; the key itself is never stored
  hint                 text not null,                                  -- "ss_Ab12…x9Zk", for display
  allowed_domains      text[] not null default '{}' check (cardinality(allowed_domains) <= 50), -- where it may be used (Origin, Referer)
  allowed_targets      text[] not null default '{}' check (cardinality(allowed_targets) <= 50), -- what may be captured
  allow_missing_origin boolean not null default false,
  enabled              boolean not null default true,
  expires_at           timestamptz,
  replaced_by          uuid references api_keys on delete set null,
  revoked_at           timestamptz,
  last_used_at         timestamptz,
  created_at           timestamptz not null default now()
);
create index api_keys_user_id on api_keys (user_id) where revoked_at is null;

-- The quota counter: one row per account and quota month.
create table usage_periods (
  user_id      uuid not null references users on delete cascade,
  period_start timestamptz not null,
  used         integer not null default 0 check (used >= 0),
  primary key (user_id, period_start)
);

-- For charts. key_id has no foreign key: history outlives keys.
create table usage_days (
  user_id    uuid not null references users on delete cascade,
  key_id     uuid not null,
  day        date not null,
  captured   integer not null default 0,
  cached     integer not null default 0,
  failed     integer not null default 0,
  rejected   integer not null default 0,
  bytes      bigint not null default 0,
  primary key (user_id, day, key_id)
);

-- Ledger and history: pending -> done | failed, each transition once.
create table screenshots (
  id           uuid primary key,                                       -- UUIDv7, generated by the service: ordered by time without another index
  user_id      uuid not null references users on delete cascade,
  key_id       uuid,                                                   -- null: playground
  period_start timestamptz not null,
  status       text not null default 'pending' check (status in ('pending', 'done', 'failed')),
  url          text not null,
  options      jsonb not null,                                         -- without the values of cookies, headers and authorization
  cache_key    bytea not null,
  format       text,
  width        integer,
  height       integer,
  bytes        integer,
  duration_ms  integer,
  object_key   text,                                                   -- null on a done row: delivered, but could not be stored
  error        text,
  lease_until  timestamptz,                                            -- pending only: after that the sweeper refunds
  expires_at   timestamptz not null,                                   -- retention
  created_at   timestamptz not null default now(),
  check ((status = 'pending') = (lease_until is not null))
);
create index screenshots_history on screenshots (user_id, id desc);
create index screenshots_lease on screenshots (lease_until) where status = 'pending';
create index screenshots_expiry on screenshots (expires_at);

-- Notifies every replica of changed keys: a user's id, or '*' for all users.
create function notify_account () returns trigger language plpgsql as $$
declare
  changed uuid;
begin
  if tg_table_name = 'plans' then
    perform pg_notify('accounts', '*');
    return null;
  end if;
  changed := coalesce(new.user_id, old.user_id);
  perform pg_notify('accounts', changed::text);
  return null;
end $$;

-- Not for last_used_at: it changes every minute and doesn't affect authorization.
create trigger api_keys_changed
  after insert or delete or update of hash, allowed_domains, allowed_targets, allow_missing_origin, enabled, expires_at, revoked_at
  on api_keys for each row execute function notify_account();
create trigger subscriptions_changed
  after insert or update or delete on subscriptions for each row execute function notify_account();
create trigger plans_changed
  after insert or update or delete on plans for each statement execute function notify_account();
