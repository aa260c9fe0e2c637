-- Up Migration
-- Batches that follow the links of their pages.

create table crawls (
  batch_id   uuid primary key references batches on delete cascade,
  url        text not null,                                            -- of the first page
  origin     text not null,                                            -- of the site; changes if the first page redirects within it
  depth      smallint not null,                                        -- links followed from the first page to any other
  pages      smallint not null,                                        -- that are loaded at most
  include    text[] not null,
  exclude    text[] not null,
  robots     jsonb not null,                                           -- of the origin: what its robots.txt says about us
  loaded     integer not null default 1,                               -- pages that were queued; also the next position in the batch
  deepest    smallint not null default 0,                              -- of the pages that were queued
  left_out   jsonb not null default '{}',                              -- by reason: how many, and a few addresses
  remembered integer not null default 0,                               -- addresses that were left out and are in crawl_addresses
  stopped_at timestamptz                                               -- canceled: no more pages are added
);

-- Addresses that a running crawl has seen. Deleted when it ends.
create table crawl_addresses (
  batch_id   uuid not null references crawls on delete cascade,
  hash       bytea not null,                                           -- of the address
  variety    bytea,                                                    -- hash of what similar addresses have in common; null: anything
  capture_id uuid,                                                     -- that is responsible for the page; null: it was left out
  reason     text,                                                     -- why it was left out
  primary key (batch_id, hash)
);
create index crawl_addresses_varieties on crawl_addresses (batch_id, variety) where variety is not null and capture_id is not null;

alter table captures
  add column depth     smallint,                                       -- of a page of a crawl, from 0; null: any other capture
  add column own_pause interval;                                       -- since the latest visit of its host by such a capture; at most 10 s

-- Only captures with a pause of their own: others would keep them waiting for as long as they run.
create function latest_paused_visit(at_host text, but uuid) returns timestamptz language sql stable as $$
  select max(visited_at) from captures
   where host = at_host and id <> but and visited_at > clock_timestamp() - interval '10 seconds' and own_pause is not null
$$;

-- As before, and with the capture's own pause.
create or replace function begin_capture(capture_id uuid, at_once integer, pause interval) returns setof captures language plpgsql as $$
declare
  at_host text := (select host from captures where id = capture_id);
  c captures;
begin
  if at_host is not null then
    perform pg_advisory_xact_lock(hashtextextended('captures at ' || at_host, 0));
    select * into c from captures where id = capture_id;
    if is_paused(at_host, pause, c.id)
       or c.own_pause is not null and latest_paused_visit(at_host, c.id) + c.own_pause > clock_timestamp()
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
    latest := latest_paused_visit(at_host, nothing);
    return query
      update captures
         set is_held = false, visited_at = clock_timestamp(), place_until = clock_timestamp() + interval '10 minutes'
       where id = (
         select c.id from captures c
          where c.host = at_host and c.is_held and c.status in ('queued', 'running')
            and (c.place_until > clock_timestamp() or places_at(at_host, nothing) < at_once)
            and (c.own_pause is null or latest is null or latest + c.own_pause <= clock_timestamp())
          order by c.place_until > clock_timestamp() desc nulls last, c.turn nulls first
          limit 1)
      returning *;
  end loop;
end
$$;
