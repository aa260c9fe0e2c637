-- Up Migration
-- A crawl delay is kept between the loads themselves, and has the same name everywhere. No release has the former name, so the column is
-- renamed instead of added.

alter table captures rename column own_pause to crawl_delay;           -- since the latest visit of its host by such a capture; at most 10 s

-- Only captures with a crawl delay: others would keep them waiting for as long as they run.
create function latest_delayed_visit(at_host text, but uuid) returns timestamptz language sql stable as $$
  select max(visited_at) from captures
   where host = at_host and id <> but and visited_at > clock_timestamp() - interval '11 seconds' and crawl_delay is not null
$$;

-- Called directly before each load of a capture's page: browsers take different times to start. Returns for how long to wait, in
-- milliseconds. A twentieth more than the delay, as requests take different times to arrive.
create function delay_visit(capture_id uuid, is_again boolean) returns double precision language plpgsql as $$
declare
  nothing constant uuid := '00000000-0000-0000-0000-000000000000';
  c captures;
  begins timestamptz;
begin
  select * into c from captures where id = capture_id;
  if c.host is null or c.crawl_delay is null then
    return 0;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('captures at ' || c.host, 0));
  begins := greatest(clock_timestamp(), latest_delayed_visit(c.host, case when is_again then nothing else c.id end) + c.crawl_delay * 1.05);
  update captures set visited_at = begins where id = capture_id;
  return extract(epoch from begins - clock_timestamp()) * 1000;
end
$$;

-- As before, and with the capture's crawl delay.
create or replace function begin_capture(capture_id uuid, at_once integer, pause interval) returns setof captures language plpgsql as $$
declare
  at_host text := (select host from captures where id = capture_id);
  c captures;
begin
  if at_host is not null then
    perform pg_advisory_xact_lock(hashtextextended('captures at ' || at_host, 0));
    select * into c from captures where id = capture_id;
    if is_paused(at_host, pause, c.id)
       or c.crawl_delay is not null and latest_delayed_visit(at_host, c.id) + c.crawl_delay > clock_timestamp()
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

create or replace function grant_places(at_once integer, pause interval) returns setof captures language plpgsql as $$
declare
  at_host text;
  latest timestamptz;
  nothing constant uuid := '00000000-0000-0000-0000-000000000000';
begin
  for at_host in select distinct c.host from captures c where c.is_held and c.status in ('queued', 'running') loop
    continue when not pg_try_advisory_xact_lock(hashtextextended('captures at ' || at_host, 0));
    continue when is_paused(at_host, pause, nothing);
    latest := latest_delayed_visit(at_host, nothing);
    return query
      update captures
         set is_held = false, visited_at = clock_timestamp(), place_until = clock_timestamp() + interval '10 minutes'
       where id = (
         select c.id from captures c
          where c.host = at_host and c.is_held and c.status in ('queued', 'running')
            and (c.place_until > clock_timestamp() or places_at(at_host, nothing) < at_once)
            and (c.crawl_delay is null or latest is null or latest + c.crawl_delay <= clock_timestamp())
          order by c.place_until > clock_timestamp() desc nulls last, c.turn nulls first
          limit 1)
      returning *;
  end loop;
end
$$;

drop function latest_paused_visit(text, uuid);
