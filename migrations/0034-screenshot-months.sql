-- Up Migration
-- Screenshots in partitions by the month of their id, which is a UUIDv7. The table becomes partitioned after the migrations, while captures go
-- on: see src/partition-screenshots.ts. `screenshots_default` has what is in no month.

create table screenshot_months (
  name    text primary key,                                            -- of the partition
  ends_at timestamptz not null                                         -- its ids are of earlier moments
);

-- The first id of a moment.
create function screenshot_id_at(at timestamptz) returns uuid language sql immutable as $$
  select rpad(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;

-- Adds the partition of the month that begins at `starts_at`, unless it is there, and moves what the default partition has of it. One
-- process at a time. Waits half a second for locks, which it holds for some milliseconds.
create function add_screenshot_month(starts_at timestamptz) returns boolean language plpgsql as $$
declare
  ends constant timestamptz := ((starts_at at time zone 'UTC') + interval '1 month') at time zone 'UTC';
  month constant text := 'screenshots_' || to_char(starts_at at time zone 'UTC', 'YYYY_MM');
begin
  if exists (select from screenshot_months where ends_at >= ends) or to_regclass('screenshots_default') is null then
    return false;
  end if;
  if not pg_try_advisory_xact_lock(hashtextextended('screenshot months', 0)) then
    return false;
  end if;
  perform set_config('lock_timeout', '500ms', true);
  lock table users in share row exclusive mode; -- for the foreign key, before captures wait for anything
  execute format('create table %I (like screenshots including defaults including constraints including storage)', month);
  lock table screenshots_default in access exclusive mode;
  execute format('with moved as (delete from screenshots_default where id >= %L and id < %L returning *) insert into %I select * from moved',
                 screenshot_id_at(starts_at), screenshot_id_at(ends), month);
  execute format('alter table screenshots attach partition %I for values from (%L) to (%L)', month, screenshot_id_at(starts_at), screenshot_id_at(ends));
  insert into screenshot_months values (month, ends);
  return true;
end $$;

-- Drops the partition of a month that has ended, if it has nothing left but what watches keep, which moves to the default partition. One
-- process at a time; waits like add_screenshot_month.
create function drop_screenshot_month(month text) returns boolean language plpgsql as $$
declare
  is_needed boolean;
  kept integer;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('screenshot months', 0))
     or not exists (select from screenshot_months where name = month and ends_at < now() - interval '2 days') then
    return false;
  end if;
  execute format('select exists (select from %I where expires_at < now() + interval ''1000 years'')', month) into is_needed;
  execute format('select count(*) from (select from %I limit 1001) kept', month) into kept;
  if is_needed or kept > 1000 then
    return false;
  end if;
  perform set_config('lock_timeout', '500ms', true);
  lock table users in access exclusive mode; -- for the foreign key, before captures wait for anything
  execute format('alter table screenshots detach partition %I', month);
  execute format('insert into screenshots select * from %I', month);
  execute format('drop table %I', month);
  delete from screenshot_months where name = month;
  return true;
end $$;

-- Removes the constraint of a change that has ended without its partitions: it would refuse the captures of a later month. Not while a process
-- makes the change.
create function free_screenshot_ids() returns boolean language plpgsql as $$
begin
  if not exists (select from pg_constraint where conname = 'screenshots_first_month' and conrelid = 'screenshots'::regclass)
     or not pg_try_advisory_xact_lock(hashtextextended('tintype online changes', 0)) then
    return false;
  end if;
  perform set_config('lock_timeout', '500ms', true);
  alter table screenshots drop constraint screenshots_first_month;
  return true;
end $$;
