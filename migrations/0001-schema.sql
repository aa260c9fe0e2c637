-- Up Migration
-- The whole schema of version 1.0. PostgreSQL 15 or later. The tables of sign-in are the auth library's, in snake_case.

-- Accounts and sign-in

create table users (
  id             uuid primary key default gen_random_uuid(),
  name           text not null,
  email          text not null unique check (email = lower(email)),
  email_verified boolean not null default false,
  image          text,
  role           text not null default 'user' check (role in ('user', 'admin')),
  created_at     timestamptz not null default now(),
  updated_at     timestamptz not null default now(),
  disabled_at    timestamptz,                                          -- can neither sign in nor capture
  deleted_at     timestamptz,                                          -- personal data is deleted; the row remains until the images are removed
  invitation_id  uuid unique,                                          -- foreign key below
  two_factor_enabled boolean not null default false
);
create index users_deleted_at on users (deleted_at) where deleted_at is not null;
create index users_newest on users (created_at desc, id desc);

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

-- Second factors. `secret` and `backup_codes` are encrypted with AUTH_SECRET.
create table two_factors (
  id                        uuid primary key default gen_random_uuid(),
  user_id                   uuid not null references users on delete cascade,
  secret                    text not null,
  backup_codes              text not null,
  verified                  boolean not null default true,            -- false: being set up
  failed_verification_count integer not null default 0,
  locked_until              timestamptz
);
create unique index two_factors_user_id on two_factors (user_id);    -- one authenticator app per account
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

-- Plans and subscriptions

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

-- Users without a row are on 'free' with calendar months. A former subscriber's row remains: it keeps the start of the quota months.
create table subscriptions (
  user_id                uuid primary key references users on delete cascade,
  plan_id                text not null references plans,
  source                 text not null check (source in ('billing', 'manual')),
  anchor                 timestamptz not null,                         -- start of the first quota month
  rate_limit_override    integer check (rate_limit_override > 0),      -- null: the plan's
  monthly_quota_override integer check (monthly_quota_override >= 0),  -- null: the plan's
  updated_at             timestamptz not null default now()
);

-- Current limits of each account.
create view account_plans as
  select u.id as user_id,
         p.id as plan_id,
         coalesce(s.rate_limit_override, p.rate_limit) as rate_limit,
         coalesce(s.monthly_quota_override, p.monthly_quota) as monthly_quota,
         p.max_keys,
         p.retention_days,
         s.anchor
    from users u
    left join subscriptions s on s.user_id = u.id
    join plans p on p.id = coalesce(s.plan_id, 'free');

-- Invitations: one-time sign-up links. The statement that creates an account also claims its invitation.
create table invitations (
  id         uuid primary key default gen_random_uuid(),
  token_hash bytea not null unique check (octet_length(token_hash) = 32), -- SHA-256; the token itself is never stored
  is_first   boolean not null default false,                           -- for the first account, which becomes an administrator
  email      text,                                                     -- null: any address
  plan_id    text references plans,                                    -- null: the free plan
  created_by uuid references users on delete set null,                 -- null: made by command, or the user is gone
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at    timestamptz,
  revoked_at timestamptz
);
create index invitations_newest on invitations (created_at desc, id desc);

alter table users add foreign key (invitation_id) references invitations on delete set null;

-- Of concurrent sign-ups with one invitation, the row's lock lets one through; the others' accounts are not created.
create function claim_invitation () returns trigger language plpgsql as $$
declare
  claimed invitations;
begin
  update invitations set used_at = now()
   where id = new.invitation_id and used_at is null and revoked_at is null and expires_at > now()
     and (email is null or email = new.email)
     and (not is_first or not exists (select 1 from users where id <> new.id))
  returning * into claimed;
  if not found then
    raise exception 'the invitation is not valid';
  end if;
  if claimed.is_first then
    update users set role = 'admin' where id = new.id;
  end if;
  if claimed.plan_id <> 'free' then
    insert into subscriptions (user_id, plan_id, source, anchor)
    values (new.id, claimed.plan_id, 'manual', date_trunc('second', now()));
  end if;
  return null;
end $$;
create trigger users_invited
  after insert on users for each row when (new.invitation_id is not null) execute function claim_invitation();

-- The billing provider's state of each customer, and when to fetch it again.
create table billing_customers (
  user_id              uuid primary key references users on delete cascade,
  customer_id          text,                                           -- null: unknown to the provider
  subscription_id      text,                                           -- the active one that grants the plan; without one, the latest that explains why
  product_id           text,
  plan_id              text references plans on delete set null,       -- granted by the active subscriptions; null: none
  status               text check (status in ('incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due', 'canceled', 'unpaid', 'paused')),
  amount               integer,                                        -- of one period, in the currency's smallest unit
  currency             text,
  period               text check (period in ('day', 'week', 'month', 'year')),
  trial_ends_at        timestamptz,
  current_period_end   timestamptz,
  cancel_at_period_end boolean not null default false,
  ends_at              timestamptz,
  resumes_at           timestamptz,                                    -- of a paused subscription; null: until it is resumed by hand
  revision             integer not null default 0,                     -- changes with every write and every reason to look again
  due_at               timestamptz not null default now(),             -- when the provider is asked next
  checked_at           timestamptz                                     -- when it answered last
);
create index billing_customers_due on billing_customers (due_at);

-- One row: when all active subscriptions of the provider were last compared.
create table billing_comparison (
  only_row boolean primary key default true check (only_row),
  at       timestamptz not null default '-infinity'
);
insert into billing_comparison default values;

-- Subscribers' plans are reconciled when a product grants another plan.
create function recheck_billing () returns trigger language plpgsql as $$
begin
  update billing_customers set due_at = now(), revision = revision + 1 where product_id is not null;
  return null;
end $$;
create trigger plans_product_changed
  after update of billing_product_id on plans for each statement execute function recheck_billing();

-- Each webhook of the provider is processed exactly once.
create table billing_events (
  id           text primary key,                                       -- the webhook's id
  type         text not null,
  payload      jsonb not null,
  received_at  timestamptz not null default now(),
  processed_at timestamptz
);
create index billing_events_received on billing_events (received_at);

-- API keys
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
  created_at           timestamptz not null default now(),
  require_signature    boolean not null default false,                 -- accepts signed requests only
  version              integer not null default 1                      -- detects concurrent updates
);
create index api_keys_of_user on api_keys (user_id);
create index api_keys_replaced_by on api_keys (replaced_by) where replaced_by is not null;
create index api_keys_expires_at on api_keys (expires_at) where revoked_at is null and expires_at is not null;

-- Usage

-- The quota counter: one row per account and quota month.
create table usage_periods (
  user_id      uuid not null references users on delete cascade,
  period_start timestamptz not null,
  used         integer not null default 0 check (used >= 0),
  primary key (user_id, period_start)
);

-- The start of the quota month that contains `at`, the same as quotaPeriod in src/accounts/usage/quota.ts. Counted from the anchor
-- itself, so that a short month doesn't shift the months after it.
create function quota_period_start (anchor timestamptz, at timestamptz) returns timestamptz language plpgsql immutable as $$
declare
  first  timestamp := date_trunc('milliseconds', coalesce(anchor, 'epoch')) at time zone 'UTC';
  moment timestamp := at at time zone 'UTC';
  months integer := (date_part('year', moment) - date_part('year', first)) * 12 + date_part('month', moment) - date_part('month', first);
begin
  if first + make_interval(months => months) > moment then
    months := months - 1;
  end if;
  return (first + make_interval(months => months)) at time zone 'UTC';
end $$;

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

-- Ledger and history: pending -> done | failed, each transition once. Partitioned by the month of the id; see src/database/screenshot-months.ts and
-- docs/decisions/0034-screenshots-by-month.md.
create table screenshots (
  id             uuid primary key,                                     -- UUIDv7, generated by the service: ordered by time without another index
  user_id        uuid not null references users on delete cascade,
  key_id         uuid,                                                 -- null: playground
  period_start   timestamptz not null,
  status         text not null default 'pending' check (status in ('pending', 'done', 'failed')),
  url            text not null,
  options        jsonb not null,                                       -- without the values of cookies, headers and authorization
  cache_key      bytea not null,
  format         text,
  width          integer,
  height         integer,
  bytes          integer,
  duration_ms    integer,
  object_key     text,                                                 -- null on a done row: delivered, but could not be stored
  error          text,
  lease_until    timestamptz,                                          -- pending only: after that the sweeper refunds
  expires_at     timestamptz not null,                                 -- retention
  created_at     timestamptz not null default now(),
  verdict        text,                                                 -- null: not done
  verdict_reason text,                                                 -- null for `ok`
  explanation    jsonb,                                                -- null unless the request had `explain`
  title          text,                                                 -- of the page; null: none, or not done
  target_status  integer,                                              -- null for failed captures, as are the next three
  final_url      text,
  warnings       jsonb,                                                -- list of texts
  timings        jsonb,                                                -- milliseconds of each phase: queue, navigate, wait, shoot
  capture_id     uuid,                                                 -- shared by the outputs of one capture
  output         text,
  costs          smallint not null default 1 check (costs in (0, 1)),  -- one output of a capture is charged
  check ((status = 'pending') = (lease_until is not null))
) partition by range (id);
create index screenshots_history on screenshots (user_id, id desc);
create index screenshots_lease on screenshots (lease_until) where status = 'pending';
create index screenshots_expiry on screenshots (expires_at);
create index screenshots_kept on screenshots (id) where object_key is not null;
create index screenshots_capture on screenshots (capture_id) where capture_id is not null;
create index screenshots_recent_failures on screenshots (created_at) include (error) where status = 'failed';
-- For the filters of the history, which counts by status, format and verdict; see src/accounts/history/search.ts.
create index screenshots_pending on screenshots (user_id, id) where status = 'pending';
create index screenshots_kinds on screenshots (user_id, status, coalesce(format, ''), coalesce(verdict, ''), id) where status <> 'pending';
create index screenshots_kinds_of_key
  on screenshots (user_id, coalesce(key_id, '00000000-0000-0000-0000-000000000000'), status, coalesce(format, ''), coalesce(verdict, ''), id)
  where status <> 'pending';

-- Rows of months without a partition.
create table screenshots_default partition of screenshots default;

create table screenshot_months (
  name    text primary key,                                            -- of the partition
  ends_at timestamptz not null                                         -- exclusive upper bound of the ids' times
);

-- The smallest UUIDv7 of a moment.
create function screenshot_id_at(at timestamptz) returns uuid language sql immutable as $$
  select rpad(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;

-- The current month and the next one; the service adds later ones.
do $$
declare
  month timestamp := date_trunc('month', now() at time zone 'UTC');
  next timestamp;
begin
  for count in 1..2 loop
    next := month + interval '1 month';
    execute format('create table %I partition of screenshots for values from (%L) to (%L)', 'screenshots_' || to_char(month, 'YYYY_MM'),
                   screenshot_id_at(month at time zone 'UTC'), screenshot_id_at(next at time zone 'UTC'));
    insert into screenshot_months values ('screenshots_' || to_char(month, 'YYYY_MM'), next at time zone 'UTC');
    month := next;
  end loop;
end $$;

-- Connections to the browser endpoint, with the minutes begun so far.
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

-- Captures that outlive their request, and those of requests with an Idempotency-Key. Their outputs are in screenshots, by capture_id.

-- What each capture of a batch is, and its outcome, is in captures.
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
create index batches_account on batches (user_id, id);

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
  expires_at      timestamptz not null,                                -- retention
  batch_id        uuid references batches on delete cascade,
  position        integer,                                             -- in the batch's request, from 0
  name            text,                                                -- unique in the batch: for files
  host            text,                                                -- with the port; null: a caller waits, or there is no host
  visited_at      timestamptz,                                         -- when its latest attempt began, or its permit was granted
  place_until     timestamptz,                                         -- when its permit at the host ends at the latest
  is_held         boolean not null default false,                      -- waits for a permit, without a job
  answer_by       timestamptz                                          -- see captures_unanswered; null: nothing to confirm, or confirmed
);
create unique index captures_idempotency on captures (user_id, idempotency_key) where idempotency_key is not null;
create index captures_turns on captures (turn) where status = 'queued' and not is_held;
create index captures_own_turns on captures (user_id, turn) where status = 'queued';
create index captures_open on captures (created_at) where status in ('queued', 'running');
create index captures_expiry on captures (expires_at);
create index captures_batch on captures (batch_id, position) where batch_id is not null;
create index captures_of_user on captures (user_id);
-- A capture that a process without browsers waits for is charged once its answer has left: that process confirms it until `answer_by`, or a
-- sweep refunds it.
create index captures_unanswered on captures (answer_by) where answer_by is not null;

-- Queued captures take permits at the host of their page: few concurrently, with a pause in between, in all processes together. One that finds
-- no permit is held: it has no job until it is granted one.
create index captures_visits on captures (host, visited_at) where visited_at is not null;
create index captures_places on captures (host, place_until) where place_until is not null and status in ('queued', 'running');
create index captures_held on captures (host, turn) where is_held and status in ('queued', 'running');

-- Permits in use at a host, without that of capture `but`.
create function places_at(at_host text, but uuid) returns bigint language sql stable as $$
  select count(*) from captures
   where host = at_host and id <> but and place_until > clock_timestamp() and status in ('queued', 'running')
$$;

create function is_paused(at_host text, pause interval, but uuid) returns boolean language sql stable as $$
  select exists (select from captures where host = at_host and id <> but and visited_at > clock_timestamp() - pause)
$$;

-- Marks a capture as running or as held. Returns nothing if it has ended.
create function begin_capture(capture_id uuid, at_once integer, pause interval) returns setof captures language plpgsql as $$
declare
  at_host text := (select host from captures where id = capture_id);
  c captures;
begin
  if at_host is not null then
    perform pg_advisory_xact_lock(hashtextextended('captures at ' || at_host, 0));
    select * into c from captures where id = capture_id;
    if is_paused(at_host, pause, c.id)
       or coalesce(c.place_until, '-infinity') <= clock_timestamp()
          and (places_at(at_host, c.id) >= at_once
               or exists (select from captures o
                           where o.host = at_host and o.is_held and o.status in ('queued', 'running') and o.id <> c.id
                             and coalesce(o.turn, -1) < coalesce(c.turn, -1)))
    then
      return query update captures set is_held = true where id = capture_id and status in ('queued', 'running') returning *;
      return;
    end if;
  end if;
  return query
    update captures
       set status = 'running', turn = null, started_at = coalesce(started_at, now()), is_held = false,
           visited_at = case when at_host is not null then clock_timestamp() end,
           place_until = case when at_host is not null then clock_timestamp() + interval '10 minutes' end
     where id = capture_id and status in ('queued', 'running')
    returning *;
end
$$;

-- Grants free permits to held captures, one per host at most, in order of priority. The caller creates their jobs.
create function grant_places(at_once integer, pause interval) returns setof captures language plpgsql as $$
declare
  at_host text;
  nothing constant uuid := '00000000-0000-0000-0000-000000000000';
begin
  for at_host in select distinct c.host from captures c where c.is_held and c.status in ('queued', 'running') loop
    continue when not pg_try_advisory_xact_lock(hashtextextended('captures at ' || at_host, 0));
    continue when is_paused(at_host, pause, nothing);
    return query
      update captures
         set is_held = false, visited_at = clock_timestamp(), place_until = clock_timestamp() + interval '10 minutes'
       where id = (
         select c.id from captures c
          where c.host = at_host and c.is_held and c.status in ('queued', 'running')
            and (c.place_until > clock_timestamp() or places_at(at_host, nothing) < at_once)
          order by c.place_until > clock_timestamp() desc nulls last, c.turn nulls first
          limit 1)
      returning *;
  end loop;
end
$$;

-- Watches: pages that are captured repeatedly and compared. A run and its capture have the same id.
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

-- Outgoing webhooks: signing secrets, deliveries with their attempts, and addresses that fail.
create table webhook_secrets (
  id         uuid primary key default gen_random_uuid(),
  user_id    uuid not null references users on delete cascade,
  sealed     bytea not null,                                           -- encrypted: signing needs it in plain text
  shown_at   timestamptz,                                              -- null: its owner hasn't seen it
  expires_at timestamptz,                                              -- null: the present one; after a rotation the old one signs until then
  created_at timestamptz not null default now()
);
create unique index webhook_secrets_present on webhook_secrets (user_id) where expires_at is null;
create index webhook_secrets_of_user on webhook_secrets (user_id);

create table webhook_deliveries (
  id          uuid primary key,                                        -- of the event; sent as webhook-id
  user_id     uuid not null references users on delete cascade,
  type        text not null,
  url         text not null,
  body        text not null,                                           -- the same at every try
  state       text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  is_manual   boolean not null default false,                          -- its owner asked for the next try: also at a paused address
  tries       integer not null default 0,
  tries_max   integer not null,                                        -- after this many it has failed
  next_try_id uuid,                                                    -- its job in the queue; jobs with another id are outdated
  next_try_at timestamptz,
  status      integer,                                                 -- of the latest answer; null: none
  error       text,                                                    -- why it is not delivered; a sentence
  created_at  timestamptz not null default now(),
  settled_at  timestamptz
);
create unique index webhook_deliveries_next_try on webhook_deliveries (next_try_id) where next_try_id is not null;
create index webhook_deliveries_of_user on webhook_deliveries (user_id, created_at desc, id desc);
create index webhook_deliveries_created_at on webhook_deliveries (created_at);
create index webhook_deliveries_pending on webhook_deliveries (user_id) where state = 'pending';

create table webhook_tries (
  id               uuid primary key,
  delivery_id      uuid not null references webhook_deliveries on delete cascade,
  number           integer not null,
  started_at       timestamptz not null,
  duration_ms      integer not null,
  request_headers  jsonb not null,
  status           integer,                                            -- null: no answer
  response_headers jsonb,
  response_body    text,                                               -- at most 64 KB of it
  is_cut           boolean not null default false,                     -- the body was longer, or incomplete
  error            text,
  unique (delivery_id, number)
);

create table webhook_addresses (
  id        uuid primary key default gen_random_uuid(),
  user_id   uuid not null references users on delete cascade,
  url       text not null,
  failures  integer not null default 0,                                -- deliveries that failed since the last one that arrived
  paused_at timestamptz,
  reason    text,                                                      -- why it is paused; a sentence
  unique (user_id, url)
);

-- Mailed notices. The replica that inserts the row sends the mail.
create table notices (
  user_id    uuid not null references users on delete cascade,
  kind       text not null check (kind in ('quota-80', 'quota-100', 'key-expires', 'payment-failed', 'webhook-paused')),
  subject    text not null,                                            -- the quota month's start; key and expiry; subscription and end of its period; address
  created_at timestamptz not null default now(),
  primary key (user_id, kind, subject)
);
create index notices_created_at on notices (created_at);

-- Audit log of accounts, keys, plans, invitations and sign-in settings. Kept for a year. No foreign keys: an entry outlives its subject.
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
  after insert or delete or update of hash, allowed_domains, allowed_targets, allow_missing_origin, require_signature, enabled, expires_at, revoked_at
  on api_keys for each row execute function notify_account();
create trigger subscriptions_changed
  after insert or update or delete on subscriptions for each row execute function notify_account();
create trigger plans_changed
  after insert or update or delete on plans for each statement execute function notify_account();

create function notify_user () returns trigger language plpgsql as $$
begin
  perform pg_notify('accounts', new.id::text);
  return null;
end $$;
create trigger users_disabled
  after update of disabled_at on users for each row
  when (old.disabled_at is distinct from new.disabled_at) execute function notify_user();
