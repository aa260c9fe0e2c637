-- Up Migration
-- Outgoing webhooks: signing secrets, deliveries with their tries, and addresses that fail.

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

alter table notices drop constraint notices_kind_check;
alter table notices add constraint notices_kind_check
  check (kind in ('quota-80', 'quota-100', 'key-expires', 'payment-failed', 'webhook-paused'));
