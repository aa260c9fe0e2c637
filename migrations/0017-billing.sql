-- Up Migration
-- Billing: what the provider says about each customer, and when to ask it again.

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

-- A product that grants another plan changes its subscribers' plans.
create function recheck_billing () returns trigger language plpgsql as $$
begin
  update billing_customers set due_at = now(), revision = revision + 1 where product_id is not null;
  return null;
end $$;
create trigger plans_product_changed
  after update of billing_product_id on plans for each statement execute function recheck_billing();

-- The plan of the row counts, whatever the status: reconciling sets it. The quota months of a former subscriber keep their start.
-- The columns status, current_period_end, cancel_at_period_end and provider_… are no longer read.
create or replace view account_plans as
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
alter table subscriptions alter column status set default 'active';

drop index billing_events_todo;                                        -- events are processed when they are stored
create index billing_events_received on billing_events (received_at);
