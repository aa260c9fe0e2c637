-- Up Migration
-- For administrators: accounts by what they used of the current month, and recent failures of all accounts.

-- The start of the quota month that contains `at`, as quotaPeriod in src/accounts/usage/quota.ts computes it. Counted from the anchor
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

create index screenshots_recent_failures on screenshots (created_at) include (error) where status = 'failed';
