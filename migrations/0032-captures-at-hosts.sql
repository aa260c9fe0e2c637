-- Up Migration
-- Queued captures take places at the host of their page: few at once, with a pause between, in all processes together. One that finds no
-- place is held: it has no job until it is granted one.

alter table captures
  add column host text,                                                -- with the port; null: a caller waits, or there is no host
  add column visited_at timestamptz,                                   -- when its latest attempt began, or its place was granted
  add column place_until timestamptz,                                  -- a place is free again at its end, or then at the latest
  add column is_held boolean not null default false;
create index captures_visits on captures (host, visited_at) where visited_at is not null;
create index captures_places on captures (host, place_until) where place_until is not null and status in ('queued', 'running');
create index captures_held on captures (host, turn) where is_held and status in ('queued', 'running');
drop index captures_turns;
create index captures_turns on captures (turn) where status = 'queued' and not is_held;

-- Those of other captures than `but`.
create function places_at(at_host text, but uuid) returns bigint language sql stable as $$
  select count(*) from captures
   where host = at_host and id <> but and place_until > clock_timestamp() and status in ('queued', 'running')
$$;

create function is_paused(at_host text, pause interval, but uuid) returns boolean language sql stable as $$
  select exists (select from captures where host = at_host and id <> but and visited_at > clock_timestamp() - pause)
$$;

-- Marks a capture as running, or as held. Nothing if it has ended.
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

-- Grants free places to held captures, at most one at each host: those of the lowest turns. They need a job then.
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
