-- A database of version 1.0.0-rc.1 after a day's use. Later versions restore and upgrade it: docs/versioning.md.
-- AUTH_SECRET: 771291b43cd282411a8a50d6132b42fa106f95989130d601090b2129ca4d9e0c
-- key: ss_KGubhYmgYXspIydT4O8XPIBk2lvYvN08bWRV

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

CREATE SCHEMA "jobs";

COMMENT ON SCHEMA "public" IS 'standard public schema';

CREATE TYPE "jobs"."job_state" AS ENUM (
    'created',
    'retry',
    'active',
    'completed',
    'cancelled',
    'failed'
);

CREATE FUNCTION "jobs"."create_queue"("queue_name" "text", "options" "jsonb") RETURNS "void"
    LANGUAGE "plpgsql"
    AS $_$
    DECLARE
      tablename varchar := CASE WHEN options->>'partition' = 'true'
                            THEN 'j' || encode(sha224(queue_name::bytea), 'hex')
                            ELSE 'job_common'
                            END;
      queue_created_on timestamptz;
    BEGIN

      WITH q as (
        INSERT INTO jobs.queue (
          name,
          policy,
          retry_limit,
          retry_delay,
          retry_backoff,
          retry_delay_max,
          expire_seconds,
          retention_seconds,
          deletion_seconds,
          warning_queued,
          dead_letter,
          partition,
          table_name,
          heartbeat_seconds,
          notify,
          created_on,
          updated_on
        )
        VALUES (
          queue_name,
          options->>'policy',
          COALESCE((options->>'retryLimit')::int, 2),
          COALESCE((options->>'retryDelay')::int, 0),
          COALESCE((options->>'retryBackoff')::bool, false),
          (options->>'retryDelayMax')::int,
          COALESCE((options->>'expireInSeconds')::int, 900),
          COALESCE((options->>'retentionSeconds')::int, 1209600),
          COALESCE((options->>'deleteAfterSeconds')::int, 604800),
          COALESCE((options->>'warningQueueSize')::int, 0),
          options->>'deadLetter',
          COALESCE((options->>'partition')::bool, false),
          tablename,
          (options->>'heartbeatSeconds')::int,
          COALESCE((options->>'notify')::bool, false),
          jobs.job_now(),
          jobs.job_now()
        )
        ON CONFLICT DO NOTHING
        RETURNING created_on
      )
      SELECT created_on into queue_created_on from q;

      IF queue_created_on IS NULL OR options->>'partition' IS DISTINCT FROM 'true' THEN
        RETURN;
      END IF;

      EXECUTE format('CREATE TABLE jobs.%I (LIKE jobs.job INCLUDING DEFAULTS)', tablename);

      EXECUTE jobs.job_table_format($cmd$ALTER TABLE jobs.job ADD PRIMARY KEY (name, id)$cmd$, tablename);
      EXECUTE jobs.job_table_format($cmd$ALTER TABLE jobs.job ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES jobs.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);
      EXECUTE jobs.job_table_format($cmd$ALTER TABLE jobs.job ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES jobs.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);

      EXECUTE jobs.job_table_format($cmd$CREATE INDEX job_i11 ON jobs.job (name, priority DESC, created_on, start_after) WHERE state < 'active' AND NOT blocked$cmd$, tablename);
      EXECUTE jobs.job_table_format($cmd$CREATE UNIQUE INDEX job_i4 ON jobs.job (name, singleton_on, COALESCE(singleton_key, '')) WHERE state <> 'cancelled' AND singleton_on IS NOT NULL$cmd$, tablename);
      EXECUTE jobs.job_table_format($cmd$CREATE INDEX job_i7 ON jobs.job (name, group_id) WHERE state = 'active' AND group_id IS NOT NULL$cmd$, tablename);
      EXECUTE jobs.job_table_format($cmd$CREATE INDEX job_i9 ON jobs.job (name, id) WHERE blocking AND state = 'completed'$cmd$, tablename);
      EXECUTE jobs.job_table_format($cmd$CREATE INDEX job_i12 ON jobs.job (source_root_id) WHERE source_root_id IS NOT NULL$cmd$, tablename);
      EXECUTE jobs.job_table_format($cmd$CREATE UNIQUE INDEX job_i13 ON jobs.job (name, singleton_key) WHERE state = 'created' AND upsert_by_key$cmd$, tablename);
      EXECUTE jobs.job_table_format($cmd$CREATE INDEX job_i14 ON jobs.job (name, state, blocked, start_after) WHERE state IN ('created', 'retry', 'active', 'failed')$cmd$, tablename);
      EXECUTE jobs.job_table_format($cmd$CREATE INDEX job_i15 ON jobs.job (name, created_on)$cmd$, tablename);
      EXECUTE jobs.job_table_format($cmd$CREATE INDEX job_i16 ON jobs.job (name, completed_on) WHERE completed_on IS NOT NULL$cmd$, tablename);
      EXECUTE jobs.job_table_format($cmd$CREATE INDEX job_i17 ON jobs.job (name, singleton_key, created_on) WHERE state < 'active' AND singleton_key IS NOT NULL$cmd$, tablename);

      IF options->>'policy' = 'short' THEN
        EXECUTE jobs.job_table_format($cmd$CREATE UNIQUE INDEX job_i1 ON jobs.job (name, COALESCE(singleton_key, '')) WHERE state = 'created' AND policy = 'short'$cmd$, tablename);
      ELSIF options->>'policy' = 'singleton' THEN
        EXECUTE jobs.job_table_format($cmd$CREATE UNIQUE INDEX job_i2 ON jobs.job (name, COALESCE(singleton_key, '')) WHERE state = 'active' AND policy = 'singleton'$cmd$, tablename);
      ELSIF options->>'policy' = 'stately' THEN
        EXECUTE jobs.job_table_format($cmd$CREATE UNIQUE INDEX job_i3 ON jobs.job (name, state, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'stately'$cmd$, tablename);
      ELSIF options->>'policy' = 'exclusive' THEN
        EXECUTE jobs.job_table_format($cmd$CREATE UNIQUE INDEX job_i6 ON jobs.job (name, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'exclusive'$cmd$, tablename);
      ELSIF options->>'policy' = 'key_strict_fifo' THEN
        EXECUTE jobs.job_table_format($cmd$CREATE UNIQUE INDEX job_i8 ON jobs.job (name, singleton_key) WHERE state IN ('active', 'retry', 'failed') AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE jobs.job_table_format($cmd$CREATE INDEX job_i10 ON jobs.job (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE state < 'active' AND NOT blocked AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE jobs.job_table_format($cmd$ALTER TABLE jobs.job ADD CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK (NOT (policy = 'key_strict_fifo' AND singleton_key IS NULL))$cmd$, tablename);
      END IF;

      EXECUTE format('ALTER TABLE jobs.%I ADD CONSTRAINT cjc CHECK (name=%L)', tablename, queue_name);
      EXECUTE format('ALTER TABLE jobs.job ATTACH PARTITION jobs.%I FOR VALUES IN (%L)', tablename, queue_name);
    END;
    $_$;

CREATE FUNCTION "jobs"."delete_queue"("queue_name" "text") RETURNS "void"
    LANGUAGE "plpgsql"
    AS $$
    DECLARE
      v_table varchar;
      v_partition bool;
    BEGIN
      
      SELECT table_name, partition
      FROM jobs.queue
      WHERE name = queue_name
      INTO v_table, v_partition;

      IF v_partition THEN
        EXECUTE format('DROP TABLE IF EXISTS jobs.%I', v_table);
      ELSE
        EXECUTE format('DELETE FROM jobs.%I WHERE name = %L', v_table, queue_name);
      END IF;
    
      DELETE FROM jobs.queue WHERE name = queue_name;
    END;
    $$;

CREATE FUNCTION "jobs"."job_now"() RETURNS timestamp with time zone
    LANGUAGE "sql" STABLE
    AS $$
      SELECT pg_catalog.now();
    $$;

CREATE FUNCTION "jobs"."job_table_format"("command" "text", "table_name" "text") RETURNS "text"
    LANGUAGE "sql" IMMUTABLE
    AS $_$
      SELECT format(
        regexp_replace(
          regexp_replace(command, '\.job\y', '.%1$I', 'g'),
          '\yjob_i(\d+)', '%1$s_i\1', 'g'
        ),
        table_name
      );
    $_$;

CREATE FUNCTION "jobs"."job_table_run"("command" "text", "tbl_name" "text" DEFAULT NULL::"text", "queue_name" "text" DEFAULT NULL::"text") RETURNS "void"
    LANGUAGE "plpgsql"
    AS $$
    DECLARE
      tbl RECORD;
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM jobs.queue WHERE name = queue_name;
      END IF;

      IF tbl_name IS NOT NULL THEN
        EXECUTE jobs.job_table_format(command, tbl_name);
        RETURN;
      END IF;

      EXECUTE jobs.job_table_format(command, 'job_common');

      FOR tbl IN SELECT table_name FROM jobs.queue WHERE partition = true
      LOOP
        EXECUTE jobs.job_table_format(command, tbl.table_name);
      END LOOP;
    END;
    $$;

CREATE FUNCTION "jobs"."job_table_run_async"("command_name" "text", "version" integer, "command" "text", "tbl_name" "text" DEFAULT NULL::"text", "queue_name" "text" DEFAULT NULL::"text") RETURNS "void"
    LANGUAGE "plpgsql"
    AS $$
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM jobs.queue WHERE name = queue_name;
      END IF;

      IF tbl_name IS NOT NULL THEN
        INSERT INTO jobs.bam (name, version, status, queue, table_name, command)
        VALUES (
          command_name,
          version,
          'pending',
          queue_name,
          tbl_name,
          jobs.job_table_format(command, tbl_name)
        );
        RETURN;
      END IF;

      INSERT INTO jobs.bam (name, version, status, queue, table_name, command)
      SELECT
        command_name,
        version,
        'pending',
        NULL,
        'job_common',
        jobs.job_table_format(command, 'job_common')
      UNION ALL
      SELECT
        command_name,
        version,
        'pending',
        queue.name,
        queue.table_name,
        jobs.job_table_format(command, queue.table_name)
      FROM jobs.queue
      WHERE partition = true;
    END;
    $$;

SET default_tablespace = '';

SET default_table_access_method = "heap";

CREATE TABLE "public"."captures" (
    "id" "uuid" NOT NULL,
    "user_id" "uuid" NOT NULL,
    "key_id" "uuid",
    "status" "text" NOT NULL,
    "turn" integer,
    "request" "bytea",
    "result" "jsonb",
    "idempotency_key" "text",
    "request_hash" "bytea",
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "started_at" timestamp with time zone,
    "ended_at" timestamp with time zone,
    "expires_at" timestamp with time zone NOT NULL,
    "batch_id" "uuid",
    "position" integer,
    "name" "text",
    "host" "text",
    "visited_at" timestamp with time zone,
    "place_until" timestamp with time zone,
    "is_held" boolean DEFAULT false NOT NULL,
    "answer_by" timestamp with time zone,
    CONSTRAINT "captures_status_check" CHECK (("status" = ANY (ARRAY['queued'::"text", 'running'::"text", 'done'::"text", 'failed'::"text", 'canceled'::"text"])))
);

CREATE FUNCTION "public"."begin_capture"("capture_id" "uuid", "at_once" integer, "pause" interval) RETURNS SETOF "public"."captures"
    LANGUAGE "plpgsql"
    AS $$
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

CREATE FUNCTION "public"."claim_invitation"() RETURNS "trigger"
    LANGUAGE "plpgsql"
    AS $$
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

CREATE FUNCTION "public"."grant_places"("at_once" integer, "pause" interval) RETURNS SETOF "public"."captures"
    LANGUAGE "plpgsql"
    AS $$
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

CREATE FUNCTION "public"."is_paused"("at_host" "text", "pause" interval, "but" "uuid") RETURNS boolean
    LANGUAGE "sql" STABLE
    AS $$
  select exists (select from captures where host = at_host and id <> but and visited_at > clock_timestamp() - pause)
$$;

CREATE FUNCTION "public"."notify_account"() RETURNS "trigger"
    LANGUAGE "plpgsql"
    AS $$
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

CREATE FUNCTION "public"."notify_user"() RETURNS "trigger"
    LANGUAGE "plpgsql"
    AS $$
begin
  perform pg_notify('accounts', new.id::text);
  return null;
end $$;

CREATE FUNCTION "public"."places_at"("at_host" "text", "but" "uuid") RETURNS bigint
    LANGUAGE "sql" STABLE
    AS $$
  select count(*) from captures
   where host = at_host and id <> but and place_until > clock_timestamp() and status in ('queued', 'running')
$$;

CREATE FUNCTION "public"."quota_period_start"("anchor" timestamp with time zone, "at" timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE "plpgsql" IMMUTABLE
    AS $$
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

CREATE FUNCTION "public"."recheck_billing"() RETURNS "trigger"
    LANGUAGE "plpgsql"
    AS $$
begin
  update billing_customers set due_at = now(), revision = revision + 1 where product_id is not null;
  return null;
end $$;

CREATE FUNCTION "public"."screenshot_id_at"("at" timestamp with time zone) RETURNS "uuid"
    LANGUAGE "sql" IMMUTABLE
    AS $$
  select rpad(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;

CREATE TABLE "jobs"."bam" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "name" "text" NOT NULL,
    "version" integer NOT NULL,
    "status" "text" DEFAULT 'pending'::"text" NOT NULL,
    "queue" "text",
    "table_name" "text" NOT NULL,
    "command" "text" NOT NULL,
    "error" "text",
    "created_on" timestamp with time zone DEFAULT "clock_timestamp"() NOT NULL,
    "started_on" timestamp with time zone,
    "completed_on" timestamp with time zone
);

CREATE TABLE "jobs"."instance" (
    "id" "uuid" NOT NULL,
    "name" "text",
    "host" "text" NOT NULL,
    "pid" integer NOT NULL,
    "version" "text" NOT NULL,
    "node_version" "text" NOT NULL,
    "application_name" "text",
    "heartbeat_seconds" integer NOT NULL,
    "supervise" boolean NOT NULL,
    "schedule" boolean NOT NULL,
    "migrate" boolean NOT NULL,
    "persist_queue_stats" boolean NOT NULL,
    "persist_warnings" boolean NOT NULL,
    "pool_max" integer,
    "pool_total" integer,
    "pool_idle" integer,
    "pool_waiting" integer,
    "workers" "jsonb" DEFAULT '[]'::"jsonb" NOT NULL,
    "metrics" "jsonb",
    "config" "jsonb" DEFAULT '{}'::"jsonb" NOT NULL,
    "crash_restarts" integer DEFAULT 0 NOT NULL,
    "crash_restarts_since" timestamp with time zone,
    "started_on" timestamp with time zone DEFAULT "now"() NOT NULL,
    "heartbeat_on" timestamp with time zone DEFAULT "now"() NOT NULL,
    "stopped_on" timestamp with time zone
);

CREATE TABLE "jobs"."job" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "name" "text" NOT NULL,
    "priority" integer DEFAULT 0 NOT NULL,
    "data" "jsonb",
    "state" "jobs"."job_state" DEFAULT 'created'::"jobs"."job_state" NOT NULL,
    "retry_limit" integer DEFAULT 2 NOT NULL,
    "retry_count" integer DEFAULT 0 NOT NULL,
    "retry_delay" integer DEFAULT 0 NOT NULL,
    "retry_backoff" boolean DEFAULT false NOT NULL,
    "retry_delay_max" integer,
    "expire_seconds" integer DEFAULT 900 NOT NULL,
    "deletion_seconds" integer DEFAULT 604800 NOT NULL,
    "singleton_key" "text",
    "singleton_on" timestamp without time zone,
    "group_id" "text",
    "group_tier" "text",
    "start_after" timestamp with time zone DEFAULT "now"() NOT NULL,
    "created_on" timestamp with time zone DEFAULT "now"() NOT NULL,
    "started_on" timestamp with time zone,
    "completed_on" timestamp with time zone,
    "keep_until" timestamp with time zone DEFAULT ("now"() + '336:00:00'::interval) NOT NULL,
    "output" "jsonb",
    "dead_letter" "text",
    "policy" "text",
    "heartbeat_on" timestamp with time zone,
    "heartbeat_seconds" integer,
    "blocked" boolean DEFAULT false NOT NULL,
    "blocking" boolean DEFAULT false NOT NULL,
    "pending_dependencies" integer DEFAULT 0 NOT NULL,
    "source_name" "text",
    "source_id" "uuid",
    "source_created_on" timestamp with time zone,
    "source_retry_count" integer,
    "source_output" "jsonb",
    "source_root_id" "uuid",
    "trace_context" "jsonb",
    "upsert_by_key" boolean
)
PARTITION BY LIST ("name");

CREATE TABLE "jobs"."job_common" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "name" "text" NOT NULL,
    "priority" integer DEFAULT 0 NOT NULL,
    "data" "jsonb",
    "state" "jobs"."job_state" DEFAULT 'created'::"jobs"."job_state" NOT NULL,
    "retry_limit" integer DEFAULT 2 NOT NULL,
    "retry_count" integer DEFAULT 0 NOT NULL,
    "retry_delay" integer DEFAULT 0 NOT NULL,
    "retry_backoff" boolean DEFAULT false NOT NULL,
    "retry_delay_max" integer,
    "expire_seconds" integer DEFAULT 900 NOT NULL,
    "deletion_seconds" integer DEFAULT 604800 NOT NULL,
    "singleton_key" "text",
    "singleton_on" timestamp without time zone,
    "group_id" "text",
    "group_tier" "text",
    "start_after" timestamp with time zone DEFAULT "now"() NOT NULL,
    "created_on" timestamp with time zone DEFAULT "now"() NOT NULL,
    "started_on" timestamp with time zone,
    "completed_on" timestamp with time zone,
    "keep_until" timestamp with time zone DEFAULT ("now"() + '336:00:00'::interval) NOT NULL,
    "output" "jsonb",
    "dead_letter" "text",
    "policy" "text",
    "heartbeat_on" timestamp with time zone,
    "heartbeat_seconds" integer,
    "blocked" boolean DEFAULT false NOT NULL,
    "blocking" boolean DEFAULT false NOT NULL,
    "pending_dependencies" integer DEFAULT 0 NOT NULL,
    "source_name" "text",
    "source_id" "uuid",
    "source_created_on" timestamp with time zone,
    "source_retry_count" integer,
    "source_output" "jsonb",
    "source_root_id" "uuid",
    "trace_context" "jsonb",
    "upsert_by_key" boolean,
    CONSTRAINT "job_key_strict_fifo_singleton_key_check" CHECK ((NOT (("policy" = 'key_strict_fifo'::"text") AND ("singleton_key" IS NULL))))
);

CREATE TABLE "jobs"."job_dependency" (
    "child_name" "text" NOT NULL,
    "child_id" "uuid" NOT NULL,
    "parent_name" "text" NOT NULL,
    "parent_id" "uuid" NOT NULL
);

CREATE TABLE "jobs"."queue" (
    "name" "text" NOT NULL,
    "policy" "text" NOT NULL,
    "retry_limit" integer NOT NULL,
    "retry_delay" integer NOT NULL,
    "retry_backoff" boolean NOT NULL,
    "retry_delay_max" integer,
    "expire_seconds" integer NOT NULL,
    "retention_seconds" integer NOT NULL,
    "deletion_seconds" integer NOT NULL,
    "dead_letter" "text",
    "partition" boolean NOT NULL,
    "table_name" "text" NOT NULL,
    "deferred_count" integer DEFAULT 0 NOT NULL,
    "blocked_count" integer DEFAULT 0 NOT NULL,
    "queued_count" integer DEFAULT 0 NOT NULL,
    "ready_count" integer DEFAULT 0 NOT NULL,
    "warning_queued" integer DEFAULT 0 NOT NULL,
    "active_count" integer DEFAULT 0 NOT NULL,
    "failed_count" integer DEFAULT 0 NOT NULL,
    "total_count" integer DEFAULT 0 NOT NULL,
    "retained_count" integer,
    "retained_on" timestamp with time zone,
    "created_delta" integer DEFAULT 0 NOT NULL,
    "completed_delta" integer DEFAULT 0 NOT NULL,
    "failed_delta" integer DEFAULT 0 NOT NULL,
    "delta_on" timestamp with time zone,
    "delta_seconds" integer,
    "wait_bins" integer[],
    "run_bins" integer[],
    "ready_oldest_seconds" integer,
    "ready_history" integer[] DEFAULT '{}'::integer[] NOT NULL,
    "heartbeat_seconds" integer,
    "notify" boolean DEFAULT false NOT NULL,
    "singletons_active" "text"[],
    "monitor_claim_on" timestamp with time zone,
    "monitor_on" timestamp with time zone,
    "maintain_on" timestamp with time zone,
    "created_on" timestamp with time zone DEFAULT "now"() NOT NULL,
    "updated_on" timestamp with time zone DEFAULT "now"() NOT NULL,
    CONSTRAINT "queue_check" CHECK (("dead_letter" IS DISTINCT FROM "name"))
);

CREATE TABLE "jobs"."queue_stats" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "name" "text" NOT NULL,
    "deferred_count" integer DEFAULT 0 NOT NULL,
    "queued_count" integer DEFAULT 0 NOT NULL,
    "ready_count" integer DEFAULT 0 NOT NULL,
    "active_count" integer DEFAULT 0 NOT NULL,
    "failed_count" integer DEFAULT 0 NOT NULL,
    "total_count" integer DEFAULT 0 NOT NULL,
    "created_delta" integer,
    "completed_delta" integer,
    "failed_delta" integer,
    "delta_seconds" integer,
    "delta_on" timestamp with time zone,
    "wait_bins" integer[],
    "run_bins" integer[],
    "ready_oldest_seconds" integer,
    "captured_on" timestamp with time zone DEFAULT "now"() NOT NULL
)
PARTITION BY RANGE ("captured_on");

CREATE TABLE "jobs"."queue_stats_20261125" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "name" "text" NOT NULL,
    "deferred_count" integer DEFAULT 0 NOT NULL,
    "queued_count" integer DEFAULT 0 NOT NULL,
    "ready_count" integer DEFAULT 0 NOT NULL,
    "active_count" integer DEFAULT 0 NOT NULL,
    "failed_count" integer DEFAULT 0 NOT NULL,
    "total_count" integer DEFAULT 0 NOT NULL,
    "created_delta" integer,
    "completed_delta" integer,
    "failed_delta" integer,
    "delta_seconds" integer,
    "delta_on" timestamp with time zone,
    "wait_bins" integer[],
    "run_bins" integer[],
    "ready_oldest_seconds" integer,
    "captured_on" timestamp with time zone DEFAULT "now"() NOT NULL
);

CREATE TABLE "jobs"."queue_stats_20261126" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "name" "text" NOT NULL,
    "deferred_count" integer DEFAULT 0 NOT NULL,
    "queued_count" integer DEFAULT 0 NOT NULL,
    "ready_count" integer DEFAULT 0 NOT NULL,
    "active_count" integer DEFAULT 0 NOT NULL,
    "failed_count" integer DEFAULT 0 NOT NULL,
    "total_count" integer DEFAULT 0 NOT NULL,
    "created_delta" integer,
    "completed_delta" integer,
    "failed_delta" integer,
    "delta_seconds" integer,
    "delta_on" timestamp with time zone,
    "wait_bins" integer[],
    "run_bins" integer[],
    "ready_oldest_seconds" integer,
    "captured_on" timestamp with time zone DEFAULT "now"() NOT NULL
);

CREATE TABLE "jobs"."schedule" (
    "name" "text" NOT NULL,
    "key" "text" DEFAULT ''::"text" NOT NULL,
    "kind" "text" DEFAULT 'cron'::"text" NOT NULL,
    "cron" "text" NOT NULL,
    "timezone" "text" DEFAULT 'UTC'::"text",
    "data" "jsonb",
    "options" "jsonb",
    "created_on" timestamp with time zone DEFAULT "now"() NOT NULL,
    "updated_on" timestamp with time zone DEFAULT "now"() NOT NULL,
    "last_job_id" "uuid",
    CONSTRAINT "schedule_kind_check" CHECK (("kind" = ANY (ARRAY['cron'::"text", 'rrule'::"text"])))
);

CREATE TABLE "jobs"."subscription" (
    "event" "text" NOT NULL,
    "name" "text" NOT NULL,
    "created_on" timestamp with time zone DEFAULT "now"() NOT NULL,
    "updated_on" timestamp with time zone DEFAULT "now"() NOT NULL
);

CREATE TABLE "jobs"."version" (
    "version" integer NOT NULL,
    "cron_on" timestamp with time zone,
    "bam_on" timestamp with time zone,
    "flow_on" timestamp with time zone,
    "reindex_on" timestamp with time zone,
    "monitor_backoff_on" timestamp with time zone
);

CREATE TABLE "jobs"."warning" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "type" "text" NOT NULL,
    "message" "text" NOT NULL,
    "data" "jsonb",
    "created_on" timestamp with time zone DEFAULT "now"() NOT NULL
);

CREATE TABLE "public"."plans" (
    "id" "text" NOT NULL,
    "name" "text" NOT NULL,
    "rate_limit" integer,
    "monthly_quota" integer,
    "max_keys" integer DEFAULT 10 NOT NULL,
    "retention_days" integer DEFAULT 30 NOT NULL,
    "billing_product_id" "text",
    "rank" smallint NOT NULL,
    "is_public" boolean DEFAULT true NOT NULL,
    CONSTRAINT "plans_max_keys_check" CHECK (("max_keys" > 0)),
    CONSTRAINT "plans_monthly_quota_check" CHECK (("monthly_quota" >= 0)),
    CONSTRAINT "plans_rate_limit_check" CHECK (("rate_limit" > 0)),
    CONSTRAINT "plans_retention_days_check" CHECK (("retention_days" > 0))
);

CREATE TABLE "public"."subscriptions" (
    "user_id" "uuid" NOT NULL,
    "plan_id" "text" NOT NULL,
    "source" "text" NOT NULL,
    "anchor" timestamp with time zone NOT NULL,
    "rate_limit_override" integer,
    "monthly_quota_override" integer,
    "updated_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    CONSTRAINT "subscriptions_monthly_quota_override_check" CHECK (("monthly_quota_override" >= 0)),
    CONSTRAINT "subscriptions_rate_limit_override_check" CHECK (("rate_limit_override" > 0)),
    CONSTRAINT "subscriptions_source_check" CHECK (("source" = ANY (ARRAY['billing'::"text", 'manual'::"text"])))
);

CREATE TABLE "public"."users" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "name" "text" NOT NULL,
    "email" "text" NOT NULL,
    "email_verified" boolean DEFAULT false NOT NULL,
    "image" "text",
    "role" "text" DEFAULT 'user'::"text" NOT NULL,
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "updated_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "disabled_at" timestamp with time zone,
    "deleted_at" timestamp with time zone,
    "invitation_id" "uuid",
    "two_factor_enabled" boolean DEFAULT false NOT NULL,
    CONSTRAINT "users_email_check" CHECK (("email" = "lower"("email"))),
    CONSTRAINT "users_role_check" CHECK (("role" = ANY (ARRAY['user'::"text", 'admin'::"text"])))
);

CREATE VIEW "public"."account_plans" AS
 SELECT "u"."id" AS "user_id",
    "p"."id" AS "plan_id",
    COALESCE("s"."rate_limit_override", "p"."rate_limit") AS "rate_limit",
    COALESCE("s"."monthly_quota_override", "p"."monthly_quota") AS "monthly_quota",
    "p"."max_keys",
    "p"."retention_days",
    "s"."anchor"
   FROM (("public"."users" "u"
     LEFT JOIN "public"."subscriptions" "s" ON (("s"."user_id" = "u"."id")))
     JOIN "public"."plans" "p" ON (("p"."id" = COALESCE("s"."plan_id", 'free'::"text"))));

CREATE TABLE "public"."api_keys" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "user_id" "uuid" NOT NULL,
    "name" "text" NOT NULL,
    "hash" "bytea" NOT NULL,
    "hint" "text" NOT NULL,
    "allowed_domains" "text"[] DEFAULT '{}'::"text"[] NOT NULL,
    "allowed_targets" "text"[] DEFAULT '{}'::"text"[] NOT NULL,
    "allow_missing_origin" boolean DEFAULT false NOT NULL,
    "enabled" boolean DEFAULT true NOT NULL,
    "expires_at" timestamp with time zone,
    "replaced_by" "uuid",
    "revoked_at" timestamp with time zone,
    "last_used_at" timestamp with time zone,
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "require_signature" boolean DEFAULT false NOT NULL,
    "version" integer DEFAULT 1 NOT NULL,
    CONSTRAINT "api_keys_allowed_domains_check" CHECK (("cardinality"("allowed_domains") <= 50)),
    CONSTRAINT "api_keys_allowed_targets_check" CHECK (("cardinality"("allowed_targets") <= 50)),
    CONSTRAINT "api_keys_hash_check" CHECK (("octet_length"("hash") = 32)),
    CONSTRAINT "api_keys_name_check" CHECK ((("length"("name") >= 1) AND ("length"("name") <= 100)))
);

CREATE TABLE "public"."audit_entries" (
    "id" "uuid" NOT NULL,
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "action" "text" NOT NULL,
    "via" "text" NOT NULL,
    "actor_id" "uuid",
    "ip" "text",
    "account_id" "uuid",
    "subject" "text",
    "subject_id" "text",
    "changes" "jsonb" DEFAULT '[]'::"jsonb" NOT NULL,
    CONSTRAINT "audit_entries_via_check" CHECK (("via" = ANY (ARRAY['dashboard'::"text", 'command'::"text", 'billing'::"text", 'service'::"text"])))
);

CREATE TABLE "public"."batches" (
    "id" "uuid" NOT NULL,
    "user_id" "uuid" NOT NULL,
    "total" integer NOT NULL,
    "webhook_url" "text",
    "idempotency_key" "text",
    "request_hash" "bytea",
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "ended_at" timestamp with time zone,
    "expires_at" timestamp with time zone NOT NULL,
    CONSTRAINT "batches_total_check" CHECK (("total" > 0))
);

CREATE TABLE "public"."billing_comparison" (
    "only_row" boolean DEFAULT true NOT NULL,
    "at" timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    CONSTRAINT "billing_comparison_only_row_check" CHECK ("only_row")
);

CREATE TABLE "public"."billing_customers" (
    "user_id" "uuid" NOT NULL,
    "customer_id" "text",
    "subscription_id" "text",
    "product_id" "text",
    "plan_id" "text",
    "status" "text",
    "amount" integer,
    "currency" "text",
    "period" "text",
    "trial_ends_at" timestamp with time zone,
    "current_period_end" timestamp with time zone,
    "cancel_at_period_end" boolean DEFAULT false NOT NULL,
    "ends_at" timestamp with time zone,
    "resumes_at" timestamp with time zone,
    "revision" integer DEFAULT 0 NOT NULL,
    "due_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "checked_at" timestamp with time zone,
    CONSTRAINT "billing_customers_period_check" CHECK (("period" = ANY (ARRAY['day'::"text", 'week'::"text", 'month'::"text", 'year'::"text"]))),
    CONSTRAINT "billing_customers_status_check" CHECK (("status" = ANY (ARRAY['incomplete'::"text", 'incomplete_expired'::"text", 'trialing'::"text", 'active'::"text", 'past_due'::"text", 'canceled'::"text", 'unpaid'::"text", 'paused'::"text"])))
);

CREATE TABLE "public"."billing_events" (
    "id" "text" NOT NULL,
    "type" "text" NOT NULL,
    "payload" "jsonb" NOT NULL,
    "received_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "processed_at" timestamp with time zone
);

CREATE TABLE "public"."browser_sessions" (
    "id" "uuid" NOT NULL,
    "user_id" "uuid" NOT NULL,
    "key_id" "uuid" NOT NULL,
    "started_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "minutes" integer DEFAULT 1 NOT NULL,
    "ended_at" timestamp with time zone,
    "end_reason" "text",
    CONSTRAINT "browser_sessions_minutes_check" CHECK (("minutes" > 0))
);

CREATE TABLE "public"."identities" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "user_id" "uuid" NOT NULL,
    "provider_id" "text" NOT NULL,
    "account_id" "text" NOT NULL,
    "password" "text",
    "access_token" "text",
    "refresh_token" "text",
    "id_token" "text",
    "access_token_expires_at" timestamp with time zone,
    "refresh_token_expires_at" timestamp with time zone,
    "scope" "text",
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "updated_at" timestamp with time zone DEFAULT "now"() NOT NULL
);

CREATE TABLE "public"."invitations" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "token_hash" "bytea" NOT NULL,
    "is_first" boolean DEFAULT false NOT NULL,
    "email" "text",
    "plan_id" "text",
    "created_by" "uuid",
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "expires_at" timestamp with time zone NOT NULL,
    "used_at" timestamp with time zone,
    "revoked_at" timestamp with time zone,
    CONSTRAINT "invitations_token_hash_check" CHECK (("octet_length"("token_hash") = 32))
);

CREATE TABLE "public"."migrations" (
    "id" integer NOT NULL,
    "name" character varying(255) NOT NULL,
    "run_on" timestamp without time zone NOT NULL
);

CREATE SEQUENCE "public"."migrations_id_seq"
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE "public"."migrations_id_seq" OWNED BY "public"."migrations"."id";

CREATE TABLE "public"."notices" (
    "user_id" "uuid" NOT NULL,
    "kind" "text" NOT NULL,
    "subject" "text" NOT NULL,
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    CONSTRAINT "notices_kind_check" CHECK (("kind" = ANY (ARRAY['quota-80'::"text", 'quota-100'::"text", 'key-expires'::"text", 'payment-failed'::"text", 'webhook-paused'::"text"])))
);

CREATE TABLE "public"."passkeys" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "user_id" "uuid" NOT NULL,
    "name" "text",
    "public_key" "text" NOT NULL,
    "credential_id" "text" NOT NULL,
    "counter" integer NOT NULL,
    "device_type" "text" NOT NULL,
    "backed_up" boolean NOT NULL,
    "transports" "text",
    "aaguid" "text",
    "created_at" timestamp with time zone DEFAULT "now"()
);

CREATE TABLE "public"."screenshot_months" (
    "name" "text" NOT NULL,
    "ends_at" timestamp with time zone NOT NULL
);

CREATE TABLE "public"."screenshots" (
    "id" "uuid" NOT NULL,
    "user_id" "uuid" NOT NULL,
    "key_id" "uuid",
    "period_start" timestamp with time zone NOT NULL,
    "status" "text" DEFAULT 'pending'::"text" NOT NULL,
    "url" "text" NOT NULL,
    "options" "jsonb" NOT NULL,
    "cache_key" "bytea" NOT NULL,
    "format" "text",
    "width" integer,
    "height" integer,
    "bytes" integer,
    "duration_ms" integer,
    "object_key" "text",
    "error" "text",
    "lease_until" timestamp with time zone,
    "expires_at" timestamp with time zone NOT NULL,
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "verdict" "text",
    "verdict_reason" "text",
    "explanation" "jsonb",
    "title" "text",
    "target_status" integer,
    "final_url" "text",
    "warnings" "jsonb",
    "timings" "jsonb",
    "capture_id" "uuid",
    "output" "text",
    "costs" smallint DEFAULT 1 NOT NULL,
    CONSTRAINT "screenshots_check" CHECK ((("status" = 'pending'::"text") = ("lease_until" IS NOT NULL))),
    CONSTRAINT "screenshots_costs_check" CHECK (("costs" = ANY (ARRAY[0, 1]))),
    CONSTRAINT "screenshots_status_check" CHECK (("status" = ANY (ARRAY['pending'::"text", 'done'::"text", 'failed'::"text"])))
)
PARTITION BY RANGE ("id");

CREATE TABLE "public"."screenshots_2026_11" (
    "id" "uuid" NOT NULL,
    "user_id" "uuid" NOT NULL,
    "key_id" "uuid",
    "period_start" timestamp with time zone NOT NULL,
    "status" "text" DEFAULT 'pending'::"text" NOT NULL,
    "url" "text" NOT NULL,
    "options" "jsonb" NOT NULL,
    "cache_key" "bytea" NOT NULL,
    "format" "text",
    "width" integer,
    "height" integer,
    "bytes" integer,
    "duration_ms" integer,
    "object_key" "text",
    "error" "text",
    "lease_until" timestamp with time zone,
    "expires_at" timestamp with time zone NOT NULL,
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "verdict" "text",
    "verdict_reason" "text",
    "explanation" "jsonb",
    "title" "text",
    "target_status" integer,
    "final_url" "text",
    "warnings" "jsonb",
    "timings" "jsonb",
    "capture_id" "uuid",
    "output" "text",
    "costs" smallint DEFAULT 1 NOT NULL,
    CONSTRAINT "screenshots_check" CHECK ((("status" = 'pending'::"text") = ("lease_until" IS NOT NULL))),
    CONSTRAINT "screenshots_costs_check" CHECK (("costs" = ANY (ARRAY[0, 1]))),
    CONSTRAINT "screenshots_status_check" CHECK (("status" = ANY (ARRAY['pending'::"text", 'done'::"text", 'failed'::"text"])))
);

CREATE TABLE "public"."screenshots_2026_12" (
    "id" "uuid" NOT NULL,
    "user_id" "uuid" NOT NULL,
    "key_id" "uuid",
    "period_start" timestamp with time zone NOT NULL,
    "status" "text" DEFAULT 'pending'::"text" NOT NULL,
    "url" "text" NOT NULL,
    "options" "jsonb" NOT NULL,
    "cache_key" "bytea" NOT NULL,
    "format" "text",
    "width" integer,
    "height" integer,
    "bytes" integer,
    "duration_ms" integer,
    "object_key" "text",
    "error" "text",
    "lease_until" timestamp with time zone,
    "expires_at" timestamp with time zone NOT NULL,
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "verdict" "text",
    "verdict_reason" "text",
    "explanation" "jsonb",
    "title" "text",
    "target_status" integer,
    "final_url" "text",
    "warnings" "jsonb",
    "timings" "jsonb",
    "capture_id" "uuid",
    "output" "text",
    "costs" smallint DEFAULT 1 NOT NULL,
    CONSTRAINT "screenshots_check" CHECK ((("status" = 'pending'::"text") = ("lease_until" IS NOT NULL))),
    CONSTRAINT "screenshots_costs_check" CHECK (("costs" = ANY (ARRAY[0, 1]))),
    CONSTRAINT "screenshots_status_check" CHECK (("status" = ANY (ARRAY['pending'::"text", 'done'::"text", 'failed'::"text"])))
);

CREATE TABLE "public"."screenshots_2027_01" (
    "id" "uuid" NOT NULL,
    "user_id" "uuid" NOT NULL,
    "key_id" "uuid",
    "period_start" timestamp with time zone NOT NULL,
    "status" "text" DEFAULT 'pending'::"text" NOT NULL,
    "url" "text" NOT NULL,
    "options" "jsonb" NOT NULL,
    "cache_key" "bytea" NOT NULL,
    "format" "text",
    "width" integer,
    "height" integer,
    "bytes" integer,
    "duration_ms" integer,
    "object_key" "text",
    "error" "text",
    "lease_until" timestamp with time zone,
    "expires_at" timestamp with time zone NOT NULL,
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "verdict" "text",
    "verdict_reason" "text",
    "explanation" "jsonb",
    "title" "text",
    "target_status" integer,
    "final_url" "text",
    "warnings" "jsonb",
    "timings" "jsonb",
    "capture_id" "uuid",
    "output" "text",
    "costs" smallint DEFAULT 1 NOT NULL,
    CONSTRAINT "screenshots_check" CHECK ((("status" = 'pending'::"text") = ("lease_until" IS NOT NULL))),
    CONSTRAINT "screenshots_costs_check" CHECK (("costs" = ANY (ARRAY[0, 1]))),
    CONSTRAINT "screenshots_status_check" CHECK (("status" = ANY (ARRAY['pending'::"text", 'done'::"text", 'failed'::"text"])))
);

CREATE TABLE "public"."screenshots_2027_02" (
    "id" "uuid" NOT NULL,
    "user_id" "uuid" NOT NULL,
    "key_id" "uuid",
    "period_start" timestamp with time zone NOT NULL,
    "status" "text" DEFAULT 'pending'::"text" NOT NULL,
    "url" "text" NOT NULL,
    "options" "jsonb" NOT NULL,
    "cache_key" "bytea" NOT NULL,
    "format" "text",
    "width" integer,
    "height" integer,
    "bytes" integer,
    "duration_ms" integer,
    "object_key" "text",
    "error" "text",
    "lease_until" timestamp with time zone,
    "expires_at" timestamp with time zone NOT NULL,
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "verdict" "text",
    "verdict_reason" "text",
    "explanation" "jsonb",
    "title" "text",
    "target_status" integer,
    "final_url" "text",
    "warnings" "jsonb",
    "timings" "jsonb",
    "capture_id" "uuid",
    "output" "text",
    "costs" smallint DEFAULT 1 NOT NULL,
    CONSTRAINT "screenshots_check" CHECK ((("status" = 'pending'::"text") = ("lease_until" IS NOT NULL))),
    CONSTRAINT "screenshots_costs_check" CHECK (("costs" = ANY (ARRAY[0, 1]))),
    CONSTRAINT "screenshots_status_check" CHECK (("status" = ANY (ARRAY['pending'::"text", 'done'::"text", 'failed'::"text"])))
);

CREATE TABLE "public"."screenshots_default" (
    "id" "uuid" NOT NULL,
    "user_id" "uuid" NOT NULL,
    "key_id" "uuid",
    "period_start" timestamp with time zone NOT NULL,
    "status" "text" DEFAULT 'pending'::"text" NOT NULL,
    "url" "text" NOT NULL,
    "options" "jsonb" NOT NULL,
    "cache_key" "bytea" NOT NULL,
    "format" "text",
    "width" integer,
    "height" integer,
    "bytes" integer,
    "duration_ms" integer,
    "object_key" "text",
    "error" "text",
    "lease_until" timestamp with time zone,
    "expires_at" timestamp with time zone NOT NULL,
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "verdict" "text",
    "verdict_reason" "text",
    "explanation" "jsonb",
    "title" "text",
    "target_status" integer,
    "final_url" "text",
    "warnings" "jsonb",
    "timings" "jsonb",
    "capture_id" "uuid",
    "output" "text",
    "costs" smallint DEFAULT 1 NOT NULL,
    CONSTRAINT "screenshots_check" CHECK ((("status" = 'pending'::"text") = ("lease_until" IS NOT NULL))),
    CONSTRAINT "screenshots_costs_check" CHECK (("costs" = ANY (ARRAY[0, 1]))),
    CONSTRAINT "screenshots_status_check" CHECK (("status" = ANY (ARRAY['pending'::"text", 'done'::"text", 'failed'::"text"])))
);

CREATE TABLE "public"."sessions" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "user_id" "uuid" NOT NULL,
    "token" "text" NOT NULL,
    "expires_at" timestamp with time zone NOT NULL,
    "ip_address" "text",
    "user_agent" "text",
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "updated_at" timestamp with time zone DEFAULT "now"() NOT NULL
);

CREATE TABLE "public"."two_factors" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "user_id" "uuid" NOT NULL,
    "secret" "text" NOT NULL,
    "backup_codes" "text" NOT NULL,
    "verified" boolean DEFAULT true NOT NULL,
    "failed_verification_count" integer DEFAULT 0 NOT NULL,
    "locked_until" timestamp with time zone
);

CREATE TABLE "public"."usage_days" (
    "user_id" "uuid" NOT NULL,
    "key_id" "uuid" NOT NULL,
    "day" "date" NOT NULL,
    "captured" integer DEFAULT 0 NOT NULL,
    "cached" integer DEFAULT 0 NOT NULL,
    "failed" integer DEFAULT 0 NOT NULL,
    "rejected" integer DEFAULT 0 NOT NULL,
    "bytes" bigint DEFAULT 0 NOT NULL
);

CREATE TABLE "public"."usage_periods" (
    "user_id" "uuid" NOT NULL,
    "period_start" timestamp with time zone NOT NULL,
    "used" integer DEFAULT 0 NOT NULL,
    CONSTRAINT "usage_periods_used_check" CHECK (("used" >= 0))
);

CREATE TABLE "public"."verifications" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "identifier" "text" NOT NULL,
    "value" "text" NOT NULL,
    "expires_at" timestamp with time zone NOT NULL,
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "updated_at" timestamp with time zone DEFAULT "now"() NOT NULL
);

CREATE TABLE "public"."watch_muted" (
    "id" "uuid" NOT NULL,
    "watch_id" "uuid" NOT NULL,
    "selector" "text",
    "box" "jsonb",
    "is_learned" boolean NOT NULL,
    "name" "text" NOT NULL,
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    CONSTRAINT "watch_muted_check" CHECK ((("selector" IS NULL) <> ("box" IS NULL)))
);

CREATE TABLE "public"."watch_runs" (
    "id" "uuid" NOT NULL,
    "watch_id" "uuid" NOT NULL,
    "status" "text" NOT NULL,
    "is_captured" boolean DEFAULT true NOT NULL,
    "screenshot_id" "uuid",
    "compared_with_id" "uuid",
    "comparison" "jsonb",
    "is_reported" boolean DEFAULT false NOT NULL,
    "accepted_at" timestamp with time zone,
    "error_code" "text",
    "error_message" "text",
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "captured_at" timestamp with time zone,
    "ended_at" timestamp with time zone,
    CONSTRAINT "watch_runs_status_check" CHECK (("status" = ANY (ARRAY['queued'::"text", 'running'::"text", 'learning'::"text", 'unchanged'::"text", 'changed'::"text", 'failed'::"text"])))
);

CREATE TABLE "public"."watches" (
    "id" "uuid" NOT NULL,
    "user_id" "uuid" NOT NULL,
    "key_id" "uuid",
    "name" "text" NOT NULL,
    "url" "text" NOT NULL,
    "options" "jsonb" NOT NULL,
    "request" "bytea" NOT NULL,
    "every" "text",
    "cron" "text",
    "time_zone" "text" NOT NULL,
    "compare_by" "text" NOT NULL,
    "threshold" double precision NOT NULL,
    "ignore_selectors" "text"[] NOT NULL,
    "webhook_url" "text",
    "learned" smallint DEFAULT 0 NOT NULL,
    "is_failing" boolean DEFAULT false NOT NULL,
    "accepted_run_id" "uuid",
    "reported_run_id" "uuid",
    "latest_run_id" "uuid",
    "seen" "text"[] DEFAULT '{}'::"text"[] NOT NULL,
    "next_run_at" timestamp with time zone,
    "idempotency_key" "text",
    "request_hash" "bytea",
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    CONSTRAINT "watches_check" CHECK ((("every" IS NULL) <> ("cron" IS NULL))),
    CONSTRAINT "watches_compare_by_check" CHECK (("compare_by" = ANY (ARRAY['pixels'::"text", 'text'::"text", 'both'::"text"])))
);

CREATE TABLE "public"."webhook_addresses" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "user_id" "uuid" NOT NULL,
    "url" "text" NOT NULL,
    "failures" integer DEFAULT 0 NOT NULL,
    "paused_at" timestamp with time zone,
    "reason" "text"
);

CREATE TABLE "public"."webhook_deliveries" (
    "id" "uuid" NOT NULL,
    "user_id" "uuid" NOT NULL,
    "type" "text" NOT NULL,
    "url" "text" NOT NULL,
    "body" "text" NOT NULL,
    "state" "text" DEFAULT 'pending'::"text" NOT NULL,
    "is_manual" boolean DEFAULT false NOT NULL,
    "tries" integer DEFAULT 0 NOT NULL,
    "tries_max" integer NOT NULL,
    "next_try_id" "uuid",
    "next_try_at" timestamp with time zone,
    "status" integer,
    "error" "text",
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "settled_at" timestamp with time zone,
    CONSTRAINT "webhook_deliveries_state_check" CHECK (("state" = ANY (ARRAY['pending'::"text", 'delivered'::"text", 'failed'::"text"])))
);

CREATE TABLE "public"."webhook_secrets" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "user_id" "uuid" NOT NULL,
    "sealed" "bytea" NOT NULL,
    "shown_at" timestamp with time zone,
    "expires_at" timestamp with time zone,
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL
);

CREATE TABLE "public"."webhook_tries" (
    "id" "uuid" NOT NULL,
    "delivery_id" "uuid" NOT NULL,
    "number" integer NOT NULL,
    "started_at" timestamp with time zone NOT NULL,
    "duration_ms" integer NOT NULL,
    "request_headers" "jsonb" NOT NULL,
    "status" integer,
    "response_headers" "jsonb",
    "response_body" "text",
    "is_cut" boolean DEFAULT false NOT NULL,
    "error" "text"
);

ALTER TABLE ONLY "jobs"."job" ATTACH PARTITION "jobs"."job_common" DEFAULT;

ALTER TABLE ONLY "jobs"."queue_stats" ATTACH PARTITION "jobs"."queue_stats_20261125" FOR VALUES FROM ('2026-11-25 00:00:00+00') TO ('2026-11-26 00:00:00+00');

ALTER TABLE ONLY "jobs"."queue_stats" ATTACH PARTITION "jobs"."queue_stats_20261126" FOR VALUES FROM ('2026-11-26 00:00:00+00') TO ('2026-11-27 00:00:00+00');

ALTER TABLE ONLY "public"."screenshots" ATTACH PARTITION "public"."screenshots_2026_11" FOR VALUES FROM ('01a19467-e800-0000-0000-000000000000') TO ('01a22ee6-b000-0000-0000-000000000000');

ALTER TABLE ONLY "public"."screenshots" ATTACH PARTITION "public"."screenshots_2026_12" FOR VALUES FROM ('01a22ee6-b000-0000-0000-000000000000') TO ('01a2ce8b-d400-0000-0000-000000000000');

ALTER TABLE ONLY "public"."screenshots" ATTACH PARTITION "public"."screenshots_2027_01" FOR VALUES FROM ('01a2ce8b-d400-0000-0000-000000000000') TO ('01a36e30-f800-0000-0000-000000000000');

ALTER TABLE ONLY "public"."screenshots" ATTACH PARTITION "public"."screenshots_2027_02" FOR VALUES FROM ('01a36e30-f800-0000-0000-000000000000') TO ('01a3fe63-0800-0000-0000-000000000000');

ALTER TABLE ONLY "public"."screenshots" ATTACH PARTITION "public"."screenshots_default" DEFAULT;

ALTER TABLE ONLY "public"."migrations" ALTER COLUMN "id" SET DEFAULT "nextval"('"public"."migrations_id_seq"'::"regclass");

INSERT INTO "jobs"."instance" VALUES ('ece2f396-a1c0-48e2-87c2-edc76be59dde', NULL, 'vm', 10505, '12.38.0', 'v26.10.0', 'tintype jobs', 30, true, false, true, false, false, 4, 4, 4, 0, '[{"id": "1a632827-b339-446d-90fe-6f76fcc52f49", "queue": "webhooks", "active": 0, "options": {"includeMetadata": true, "localGroupConcurrency": 1, "notifyPollingIntervalSeconds": 2}, "batchSize": 1, "lastErrorOn": null, "lastFetchedOn": "2026-11-25T22:53:06.416Z", "lastJobEndedOn": "2026-11-25T22:53:06.416Z", "localConcurrency": 1, "pollingIntervalSeconds": 2}, {"id": "107be6e2-ec7d-4569-ae6d-801c2bb97e07", "queue": "webhooks", "active": 0, "options": {"includeMetadata": true, "localGroupConcurrency": 1, "notifyPollingIntervalSeconds": 2}, "batchSize": 1, "lastErrorOn": null, "lastFetchedOn": "2026-11-25T22:53:06.394Z", "lastJobEndedOn": "2026-11-25T22:53:06.394Z", "localConcurrency": 1, "pollingIntervalSeconds": 2}, {"id": "587a09de-15ae-4e6a-b990-92d795245914", "queue": "webhooks", "active": 0, "options": {"includeMetadata": true, "localGroupConcurrency": 1, "notifyPollingIntervalSeconds": 2}, "batchSize": 1, "lastErrorOn": null, "lastFetchedOn": "2026-11-25T22:53:06.394Z", "lastJobEndedOn": "2026-11-25T22:53:06.394Z", "localConcurrency": 1, "pollingIntervalSeconds": 2}, {"id": "8fb2ec39-99c8-44e8-914e-e24292e7d00b", "queue": "webhooks", "active": 0, "options": {"includeMetadata": true, "localGroupConcurrency": 1, "notifyPollingIntervalSeconds": 2}, "batchSize": 1, "lastErrorOn": null, "lastFetchedOn": "2026-11-25T22:53:06.366Z", "lastJobEndedOn": "2026-11-25T22:53:06.366Z", "localConcurrency": 1, "pollingIntervalSeconds": 2}, {"id": "b8514d6c-054e-418e-a49c-2c705fa8488d", "queue": "webhooks", "active": 0, "options": {"includeMetadata": true, "localGroupConcurrency": 1, "notifyPollingIntervalSeconds": 2}, "batchSize": 1, "lastErrorOn": null, "lastFetchedOn": "2026-11-25T22:53:06.412Z", "lastJobEndedOn": "2026-11-25T22:53:06.412Z", "localConcurrency": 1, "pollingIntervalSeconds": 2}, {"id": "f2caeca3-5764-421d-b500-ab2cc0e7e0fc", "queue": "webhooks", "active": 0, "options": {"includeMetadata": true, "localGroupConcurrency": 1, "notifyPollingIntervalSeconds": 2}, "batchSize": 1, "lastErrorOn": null, "lastFetchedOn": "2026-11-25T22:53:06.391Z", "lastJobEndedOn": "2026-11-25T22:53:06.391Z", "localConcurrency": 1, "pollingIntervalSeconds": 2}, {"id": "165542d6-2cff-4754-afe9-699b9427312b", "queue": "webhooks", "active": 0, "options": {"includeMetadata": true, "localGroupConcurrency": 1, "notifyPollingIntervalSeconds": 2}, "batchSize": 1, "lastErrorOn": null, "lastFetchedOn": "2026-11-25T22:53:06.390Z", "lastJobEndedOn": "2026-11-25T22:53:06.390Z", "localConcurrency": 1, "pollingIntervalSeconds": 2}, {"id": "811a8af2-6136-41f3-9871-658a74674992", "queue": "webhooks", "active": 0, "options": {"includeMetadata": true, "localGroupConcurrency": 1, "notifyPollingIntervalSeconds": 2}, "batchSize": 1, "lastErrorOn": null, "lastFetchedOn": "2026-11-25T22:53:06.399Z", "lastJobEndedOn": "2026-11-25T22:53:06.399Z", "localConcurrency": 1, "pollingIntervalSeconds": 2}, {"id": "b3d2935e-fb83-4b81-b14b-c72a7fa0fd9a", "queue": "webhooks", "active": 0, "options": {"includeMetadata": true, "localGroupConcurrency": 1, "notifyPollingIntervalSeconds": 2}, "batchSize": 1, "lastErrorOn": null, "lastFetchedOn": "2026-11-25T22:53:06.398Z", "lastJobEndedOn": "2026-11-25T22:53:06.398Z", "localConcurrency": 1, "pollingIntervalSeconds": 2}, {"id": "15406b3c-e4ec-4e7e-9561-3511f9c9bbae", "queue": "webhooks", "active": 0, "options": {"includeMetadata": true, "localGroupConcurrency": 3, "notifyPollingIntervalSeconds": 2}, "batchSize": 1, "lastErrorOn": null, "lastFetchedOn": "2026-11-25T22:53:06.412Z", "lastJobEndedOn": "2026-11-25T22:53:06.412Z", "localConcurrency": 3, "pollingIntervalSeconds": 2}, {"id": "811c5be3-2490-4a46-bec9-a36c62e68782", "queue": "captures", "active": 0, "options": {"includeMetadata": true, "localGroupConcurrency": 1, "notifyPollingIntervalSeconds": 2}, "batchSize": 1, "lastErrorOn": null, "lastFetchedOn": "2026-11-25T22:53:06.797Z", "lastJobEndedOn": "2026-11-25T22:53:06.797Z", "localConcurrency": 1, "pollingIntervalSeconds": 2}, {"id": "7f4706c6-28cd-4ce4-97a7-c7c5cd2f2737", "queue": "captures", "active": 0, "options": {"minPriority": 1, "includeMetadata": true, "localGroupConcurrency": 1, "notifyPollingIntervalSeconds": 2}, "batchSize": 1, "lastErrorOn": null, "lastFetchedOn": "2026-11-25T22:53:06.696Z", "lastJobEndedOn": "2026-11-25T22:53:06.696Z", "localConcurrency": 1, "pollingIntervalSeconds": 2}, {"id": "286d0305-d819-483d-8bf6-247e0e8b7d05", "queue": "captures", "active": 0, "options": {"includeMetadata": true, "localGroupConcurrency": 3, "notifyPollingIntervalSeconds": 2}, "batchSize": 1, "lastErrorOn": null, "lastFetchedOn": "2026-11-25T22:53:07.580Z", "lastJobEndedOn": "2026-11-25T22:53:07.580Z", "localConcurrency": 3, "pollingIntervalSeconds": 2}, {"id": "5a781e86-698b-4db8-9781-259508820af5", "queue": "watches", "active": 0, "options": {"includeMetadata": true, "localGroupConcurrency": 1, "notifyPollingIntervalSeconds": 2}, "batchSize": 1, "lastErrorOn": null, "lastFetchedOn": "2026-11-25T22:53:07.730Z", "lastJobEndedOn": "2026-11-25T22:53:07.730Z", "localConcurrency": 1, "pollingIntervalSeconds": 2}, {"id": "8e5e852e-48d3-45ed-9b7e-cc0c41d77474", "queue": "watches", "active": 0, "options": {"includeMetadata": true, "localGroupConcurrency": 1, "notifyPollingIntervalSeconds": 2}, "batchSize": 1, "lastErrorOn": null, "lastFetchedOn": "2026-11-25T22:53:07.769Z", "lastJobEndedOn": "2026-11-25T22:53:07.769Z", "localConcurrency": 1, "pollingIntervalSeconds": 2}]', '{"cpu": 0.035, "rss": 227053568, "cgroup": 1, "cpuLimit": 2, "heapUsed": 69810616, "heapLimit": 4395630592, "loopDelay": 17.9, "memoryUsed": null, "memoryLimit": 25276510208, "cpuThrottled": null, "loopDelayMax": 99.9, "loopUtilization": 0.05}', '{"max": 4, "adapter": "pg", "backend": "postgres", "migrate": true, "reindex": true, "schedule": false, "supervise": true, "createSchema": true, "useListenNotify": true, "bamIntervalSeconds": 60, "flowIntervalSeconds": 5, "warningRetentionDays": 365, "monitorIntervalSeconds": 5, "queueStatRetentionDays": 7, "reindexIntervalSeconds": 86400, "instanceHeartbeatSeconds": 30, "superviseIntervalSeconds": 5, "cronWorkerIntervalSeconds": 5, "queueCacheIntervalSeconds": 60, "cronMonitorIntervalSeconds": 30, "maintenanceIntervalSeconds": 86400, "clockMonitorIntervalSeconds": 600}', 0, NULL, '2026-11-25 22:52:38.265612+00', '2026-11-25 22:53:08.294578+00', NULL);

INSERT INTO "jobs"."job_common" VALUES ('01a214e9-8a1b-715b-971d-433a139a2018', 'captures', 0, NULL, 'completed', 5, 0, 2, true, 300, 82800, 3600, NULL, NULL, 'df9f3d11-e27a-4164-90c9-6dc1100f0079', NULL, '2026-11-25 22:52:59.292181+00', '2026-11-25 22:52:59.292181+00', '2026-11-25 22:52:59.349986+00', '2026-11-25 22:53:00.6842+00', '2026-11-27 22:52:59.292181+00', NULL, NULL, 'standard', '2026-11-25 22:52:59.349986+00', 10, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO "jobs"."job_common" VALUES ('01a214e9-8f52-705a-938c-eb276c001b57', 'captures', 0, NULL, 'completed', 5, 0, 2, true, 300, 82800, 3600, NULL, NULL, 'df9f3d11-e27a-4164-90c9-6dc1100f0079', NULL, '2026-11-25 22:53:00.61906+00', '2026-11-25 22:53:00.61906+00', '2026-11-25 22:53:00.694221+00', '2026-11-25 22:53:00.773092+00', '2026-11-27 22:53:00.61906+00', NULL, NULL, 'standard', '2026-11-25 22:53:00.694221+00', 10, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO "jobs"."job_common" VALUES ('01a214e9-8f52-705a-938c-eb276c001b57', 'watches', 0, NULL, 'completed', 1000, 0, 2, true, 300, 900, 3600, NULL, NULL, 'df9f3d11-e27a-4164-90c9-6dc1100f0079', NULL, '2026-11-25 22:53:01.715391+00', '2026-11-25 22:53:01.715391+00', '2026-11-25 22:53:01.72646+00', '2026-11-25 22:53:01.760702+00', '2026-12-09 22:53:01.715391+00', NULL, NULL, 'standard', '2026-11-25 22:53:01.72646+00', 10, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO "jobs"."job_common" VALUES ('01a214e9-8abd-7443-9060-0db2532f6c51', 'captures', 0, NULL, 'completed', 5, 0, 2, true, 300, 82800, 3600, NULL, NULL, 'df9f3d11-e27a-4164-90c9-6dc1100f0079', NULL, '2026-11-25 22:52:59.452878+00', '2026-11-25 22:52:59.452878+00', '2026-11-25 22:52:59.491555+00', '2026-11-25 22:53:02.654063+00', '2026-11-27 22:52:59.452878+00', NULL, NULL, 'standard', '2026-11-25 22:52:59.491555+00', 10, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO "jobs"."job_common" VALUES ('01a214e9-8abd-7443-9060-129183abc746', 'captures', -30, NULL, 'completed', 5, 0, 2, true, 300, 82800, 3600, NULL, NULL, 'df9f3d11-e27a-4164-90c9-6dc1100f0079', NULL, '2026-11-25 22:52:59.452878+00', '2026-11-25 22:52:59.452878+00', '2026-11-25 22:52:59.493572+00', '2026-11-25 22:53:05.567097+00', '2026-11-27 22:52:59.452878+00', NULL, NULL, 'standard', '2026-11-25 22:53:04.533275+00', 10, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

INSERT INTO "jobs"."queue" VALUES ('captures', 'standard', 5, 2, true, 300, 82800, 172800, 3600, NULL, false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 4, 4, '2026-11-25 22:53:23.906034+00', 0, 0, 0, NULL, NULL, NULL, NULL, NULL, '{0,0,0,0,0,0,0,0,0,0,0}', 10, true, NULL, '2026-11-25 22:53:33.900312+00', '2026-11-25 22:53:33.906034+00', '2026-11-25 22:52:43.283381+00', '2026-11-25 22:52:38.310344+00', '2026-11-25 22:52:38.315119+00');
INSERT INTO "jobs"."queue" VALUES ('watches', 'standard', 1000, 2, true, 300, 900, 1209600, 3600, NULL, false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 1, 1, '2026-11-25 22:53:23.906034+00', 0, 0, 0, NULL, NULL, NULL, NULL, NULL, '{0,0,0,0,0,0,0,0,0,0,0}', 10, true, NULL, '2026-11-25 22:53:33.900312+00', '2026-11-25 22:53:33.906034+00', '2026-11-25 22:52:43.283381+00', '2026-11-25 22:52:38.351586+00', '2026-11-25 22:52:38.356127+00');
INSERT INTO "jobs"."queue" VALUES ('webhooks', 'standard', 1000, 2, true, 300, 900, 1209600, 3600, NULL, false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, 0, '2026-11-25 22:53:23.906034+00', 0, 0, 0, NULL, NULL, NULL, NULL, NULL, '{0,0,0,0,0,0,0,0,0,0,0}', 10, true, NULL, '2026-11-25 22:53:33.900312+00', '2026-11-25 22:53:33.906034+00', '2026-11-25 22:52:43.283381+00', '2026-11-25 22:52:38.292595+00', '2026-11-25 22:52:38.306892+00');

INSERT INTO "jobs"."version" VALUES (46, NULL, '2026-11-25 22:52:38.261426+00', '2026-11-25 22:53:33.34931+00', '2026-11-25 22:52:43.369256+00', NULL);

INSERT INTO "public"."api_keys" VALUES ('03bf1183-251c-4840-a9a7-26ab96577d1e', 'df9f3d11-e27a-4164-90c9-6dc1100f0079', 'local', '\x0d6953832facd12a5edcfa0b407f282d927cb4915b8b2086f93461a083fd1ad5', 'ss_KGub…bWRV', '{}', '{}', false, true, NULL, NULL, NULL, NULL, '2026-11-25 22:52:40.676459+00', false, 1);
INSERT INTO "public"."api_keys" VALUES ('e7d7b51b-3ded-41ff-8163-4dc737956252', 'c8911235-e990-44b6-a6f8-438a2e4c1c03', 'local', '\xfbe9c57f52ba9833b6e185c008b07eed128f8b7eb2b646aa303e6099240563c4', 'ss_6Ui9…82m2', '{}', '{}', false, true, NULL, NULL, NULL, NULL, '2026-11-25 22:52:43.011248+00', false, 1);
INSERT INTO "public"."api_keys" VALUES ('83362871-f682-4e0b-98f9-cc8de6e09cbc', '804e1e70-da7d-4430-a609-a8e9778f9958', 'bound', '\x19b520b51bbc44197e576596c0b2636cc80d8d6bcec673743fe08536313081fa', 'ss_uclv…LomE', '{shop.example.com}', '{}', false, true, NULL, NULL, NULL, NULL, '2026-11-25 22:53:10.876487+00', false, 1);

INSERT INTO "public"."audit_entries" VALUES ('01a214e9-397f-73a9-bc72-664c2a92181e', '2026-11-25 22:52:38.65312+00', 'account.created', 'command', NULL, NULL, 'df9f3d11-e27a-4164-90c9-6dc1100f0079', NULL, NULL, '[]');
INSERT INTO "public"."audit_entries" VALUES ('01a214e9-3e4c-744e-95b4-edf6d033ab39', '2026-11-25 22:52:39.873652+00', 'plan.assigned', 'command', NULL, NULL, 'df9f3d11-e27a-4164-90c9-6dc1100f0079', NULL, NULL, '[{"to": "pro", "from": "free", "field": "plan"}, {"to": "manual", "from": "default", "field": "source"}]');
INSERT INTO "public"."audit_entries" VALUES ('01a214e9-41b3-71ff-b3d8-0894ec4b705d', '2026-11-25 22:52:40.676459+00', 'key.created', 'command', NULL, NULL, 'df9f3d11-e27a-4164-90c9-6dc1100f0079', 'local ss_KGub…bWRV', '03bf1183-251c-4840-a9a7-26ab96577d1e', '[]');
INSERT INTO "public"."audit_entries" VALUES ('01a214e9-4500-74cc-b784-628604352a7a', '2026-11-25 22:52:41.597416+00', 'account.created', 'command', NULL, NULL, 'c8911235-e990-44b6-a6f8-438a2e4c1c03', NULL, NULL, '[]');
INSERT INTO "public"."audit_entries" VALUES ('01a214e9-47e8-75f4-b155-b36590a0452d', '2026-11-25 22:52:42.333568+00', 'plan.assigned', 'command', NULL, NULL, 'c8911235-e990-44b6-a6f8-438a2e4c1c03', NULL, NULL, '[{"to": "enterprise", "from": "free", "field": "plan"}, {"to": "manual", "from": "default", "field": "source"}, {"to": 1000000, "from": null, "field": "rate_limit"}]');
INSERT INTO "public"."audit_entries" VALUES ('01a214e9-4a9c-72ac-8832-07accbceb23d', '2026-11-25 22:52:43.011248+00', 'key.created', 'command', NULL, NULL, 'c8911235-e990-44b6-a6f8-438a2e4c1c03', 'local ss_6Ui9…82m2', 'e7d7b51b-3ded-41ff-8163-4dc737956252', '[]');
INSERT INTO "public"."audit_entries" VALUES ('01a214e9-4e87-7322-b152-99a49d94085d', '2026-11-25 22:52:44.025292+00', 'account.role_changed', 'command', NULL, NULL, 'df9f3d11-e27a-4164-90c9-6dc1100f0079', NULL, NULL, '[{"to": "admin", "from": "user", "field": "role"}]');
INSERT INTO "public"."audit_entries" VALUES ('01a214e9-586a-7361-a8ad-1e46a2bd68da', '2026-11-25 22:52:46.556287+00', 'sign_in.password_reset', 'command', NULL, NULL, 'df9f3d11-e27a-4164-90c9-6dc1100f0079', NULL, NULL, '[]');
INSERT INTO "public"."audit_entries" VALUES ('01a214e9-9db9-73d1-8f47-86dcd1666e6c', '2026-11-25 22:53:04.301459+00', 'account.created', 'command', NULL, NULL, '804e1e70-da7d-4430-a609-a8e9778f9958', NULL, NULL, '[]');
INSERT INTO "public"."audit_entries" VALUES ('01a214e9-abe1-736d-8649-4df87ec42f96', '2026-11-25 22:53:07.918763+00', 'plan.assigned', 'command', NULL, NULL, '804e1e70-da7d-4430-a609-a8e9778f9958', NULL, NULL, '[{"to": "pro", "from": "free", "field": "plan"}, {"to": "manual", "from": "default", "field": "source"}, {"to": 50, "from": null, "field": "monthly_quota"}]');
INSERT INTO "public"."audit_entries" VALUES ('01a214e9-b772-74e8-afd2-e07eee459abb', '2026-11-25 22:53:10.876487+00', 'key.created', 'command', NULL, NULL, '804e1e70-da7d-4430-a609-a8e9778f9958', 'bound ss_uclv…LomE', '83362871-f682-4e0b-98f9-cc8de6e09cbc', '[]');
INSERT INTO "public"."audit_entries" VALUES ('01a214ea-1113-72ae-b0dc-c3ea4cce1260', '2026-11-25 22:53:33.841029+00', 'invitation.created', 'command', NULL, NULL, NULL, 'third@example.com', 'cde81716-04c9-4436-bcf8-d8f2f95cd5a4', '[{"to": "pro", "from": null, "field": "plan"}]');

INSERT INTO "public"."batches" VALUES ('01a214e9-8a9e-75ee-ae5d-13771d488fef', 'df9f3d11-e27a-4164-90c9-6dc1100f0079', 2, NULL, NULL, NULL, '2026-11-25 22:52:59.452878+00', '2026-11-25 22:53:05.554093+00', '2026-12-25 22:52:59.453+00');

INSERT INTO "public"."billing_comparison" VALUES (true, '-infinity');

INSERT INTO "public"."captures" VALUES ('01a214e9-8a1b-715b-971d-433a139a2018', 'df9f3d11-e27a-4164-90c9-6dc1100f0079', '03bf1183-251c-4840-a9a7-26ab96577d1e', 'done', NULL, NULL, '{"capture": {"loads": 1, "source": "html", "outputs": [{"name": "output-1", "files": [{"id": "01a214e9-8a30-7446-afd3-844f824297fb", "etag": "\"SuqY4kXokMUAyTRTLVvTLdmhY6Z6LZTiHmdKqEvEpLs\"", "bytes": 6314, "width": 320, "height": 720, "isStored": true}], "title": "", "width": 320, "format": "jpeg", "height": 720, "timings": {"wait": 17, "queue": 694, "shoot": 50, "navigate": 15}, "verdict": {"kind": "unknown", "reasons": ["The page has hardly any text and no images, and matches no known wall or error."], "confidence": 0.5}, "finalUrl": "http://html.invalid/", "warnings": [], "fromCache": false, "waitEnded": "ready", "capturedAt": 1795647180582, "loadedAgain": false, "targetStatus": 200}, {"name": "output-2", "files": [{"id": "01a214e9-8a30-7446-afd3-8a97ddcf8a98", "etag": "\"bJea7RorMmnF1VeI3b07oq_7i4T2sVdMOBK6r_XS5y4\"", "bytes": 12071, "width": null, "height": null, "isStored": true}], "title": "", "width": null, "format": "pdf", "height": null, "timings": {"wait": 17, "queue": 0, "shoot": 304, "navigate": 31}, "verdict": {"kind": "unknown", "reasons": ["The page has hardly any text and no images, and matches no known wall or error."], "confidence": 0.5}, "finalUrl": "http://html.invalid/", "warnings": [], "fromCache": false, "waitEnded": "ready", "capturedAt": 1795647180582, "loadedAgain": false, "targetStatus": 200}], "totalMs": 1228}}', 'dump-1', '\xdb8f9b1c684a8af8bb0f7c8f7843c06cd21bb2774a5b0447cf1eb21fb0dfea9e', '2026-11-25 22:52:59.292181+00', '2026-11-25 22:52:59.36655+00', '2026-11-25 22:53:00.67421+00', '2026-12-25 22:52:59.312+00', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL);
INSERT INTO "public"."captures" VALUES ('01a214e9-8f52-705a-938c-eb276c001b57', 'df9f3d11-e27a-4164-90c9-6dc1100f0079', '03bf1183-251c-4840-a9a7-26ab96577d1e', 'failed', NULL, NULL, '{"failure": {"code": "name_not_resolved", "message": "The target''s host name does not resolve to a public address.", "retryable": true}}', NULL, NULL, '2026-11-25 22:53:00.61906+00', '2026-11-25 22:53:00.698677+00', '2026-11-25 22:53:00.761631+00', '2026-12-25 22:53:00.634+00', NULL, NULL, NULL, 'example.com', '2026-11-25 22:53:00.699616+00', '2026-11-25 23:03:00.699616+00', false, NULL);
INSERT INTO "public"."captures" VALUES ('01a214e9-8abd-7443-9060-0db2532f6c51', 'df9f3d11-e27a-4164-90c9-6dc1100f0079', '03bf1183-251c-4840-a9a7-26ab96577d1e', 'done', NULL, NULL, '{"capture": {"loads": 1, "source": "html", "outputs": [{"name": "screenshot", "files": [{"id": "01a214e9-8abd-7443-9060-16015c611320", "etag": "\"DoaB0JBvCfdXDUhzFiqqt4MhMPbW4K1K8meBE0hxRnk\"", "bytes": 3597, "width": 320, "height": 720, "isStored": true}], "title": "", "width": 320, "format": "jpeg", "height": 720, "timings": {"wait": 241, "queue": 2193, "shoot": 32, "navigate": 604}, "verdict": {"kind": "unknown", "reasons": ["The page has hardly any text and no images, and matches no known wall or error."], "confidence": 0.5}, "finalUrl": "http://html.invalid/", "warnings": [], "fromCache": false, "waitEnded": "ready", "capturedAt": 1795647182626, "loadedAgain": false, "targetStatus": 200}], "totalMs": 3081}}', NULL, NULL, '2026-11-25 22:52:59.452878+00', '2026-11-25 22:52:59.519261+00', '2026-11-25 22:53:02.638719+00', '2026-12-25 22:52:59.453+00', '01a214e9-8a9e-75ee-ae5d-13771d488fef', 0, 'html.invalid', NULL, NULL, NULL, false, NULL);
INSERT INTO "public"."captures" VALUES ('01a214e9-8abd-7443-9060-129183abc746', 'df9f3d11-e27a-4164-90c9-6dc1100f0079', '03bf1183-251c-4840-a9a7-26ab96577d1e', 'failed', NULL, NULL, '{"failure": {"code": "selector_not_found", "message": "No visible element of the page matches the selector.", "retryable": false}}', NULL, NULL, '2026-11-25 22:52:59.452878+00', '2026-11-25 22:52:59.613541+00', '2026-11-25 22:53:05.548579+00', '2026-12-25 22:52:59.453+00', '01a214e9-8a9e-75ee-ae5d-13771d488fef', 1, 'html.invalid-2', NULL, NULL, NULL, false, NULL);

INSERT INTO "public"."identities" VALUES ('7d380452-e9c3-43cc-8935-cc0615856efa', 'df9f3d11-e27a-4164-90c9-6dc1100f0079', 'credential', 'df9f3d11-e27a-4164-90c9-6dc1100f0079', 'a0536144e1dd3be2c5da37065a7f05b2:db045fd1e65708bde6341b2fb44abf65ce9125db5651a396b54c89c02120cd3ee37f5dca5940817ea4e9e47e710f0f822da45282a9f8becf16362741792627af', NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-25 22:52:46.556287+00', '2026-11-25 22:52:46.556287+00');

INSERT INTO "public"."invitations" VALUES ('cde81716-04c9-4436-bcf8-d8f2f95cd5a4', '\x8462d2ac96dde53df074ce4db3cc99484e867bc019670602e9b4276ca6408740', false, 'third@example.com', 'pro', NULL, '2026-11-25 22:53:33.841029+00', '2026-12-02 22:53:33.816+00', NULL, NULL);

INSERT INTO "public"."migrations" VALUES (1, '0001-schema', '2026-11-25 22:52:32.944053');

INSERT INTO "public"."plans" VALUES ('free', 'Free', 10, 100, 3, 7, NULL, 0, true);
INSERT INTO "public"."plans" VALUES ('pro', 'Pro', 60, 1000, 20, 30, NULL, 10, true);
INSERT INTO "public"."plans" VALUES ('enterprise', 'Enterprise', 600, NULL, 100, 365, NULL, 20, false);

INSERT INTO "public"."screenshot_months" VALUES ('screenshots_2026_11', '2026-12-01 00:00:00+00');
INSERT INTO "public"."screenshot_months" VALUES ('screenshots_2026_12', '2027-01-01 00:00:00+00');
INSERT INTO "public"."screenshot_months" VALUES ('screenshots_2027_01', '2027-02-01 00:00:00+00');
INSERT INTO "public"."screenshot_months" VALUES ('screenshots_2027_02', '2027-03-01 00:00:00+00');

INSERT INTO "public"."screenshots_2026_11" VALUES ('01a214e9-8231-7560-b8b4-cdf6976d0e5e', 'df9f3d11-e27a-4164-90c9-6dc1100f0079', '03bf1183-251c-4840-a9a7-26ab96577d1e', '2026-11-25 22:52:39+00', 'done', 'http://html.invalid/', '{"html": "sha256 ff75cc4bf42395fe4a63178fb7e1387dece6c7b2b5c51cde53fc384f6b1c8104, 43 bytes", "delay": 0, "width": 320, "format": "jpeg", "height": 200, "locale": "en-US", "strict": false, "dry_run": false, "explain": false, "quality": 80, "timeout": 30, "block_ads": false, "cache_ttl": 3600, "full_page": false, "has_touch": false, "is_cached": false, "is_mobile": false, "pdf_scale": 1, "time_zone": "UTC", "bypass_csp": false, "javascript": true, "on_timeout": "error", "wait_until": ["auto"], "block_chats": false, "error_image": false, "pdf_outline": true, "is_landscape": false, "pdf_landscape": false, "response_type": "image", "block_trackers": false, "pdf_background": true, "omit_background": false, "pdf_single_page": false, "full_page_scroll": true, "disable_animations": true, "wait_until_timeout": 5, "device_scale_factor": 1, "block_cookie_banners": false, "full_page_max_height": 30000, "geolocation_accuracy": 10, "prefers_color_scheme": "light", "prefers_reduced_motion": "no-preference", "full_page_scroll_duration": 400, "error_on_selector_not_found": true}', '\x16938bab8ec8e0457285327de60e31c0b90ee242d924dcf58e9746717f146bd6', 'jpeg', 320, 200, 4406, 1323, 'screenshots/2026/11/25/01a214e9-8231-7560-b8b4-cdf6976d0e5e.jpg', NULL, NULL, '2026-12-25 22:52:57.265+00', '2026-11-25 22:52:57.270455+00', 'unknown', 'The page has hardly any text and no images, and matches no known wall or error.', NULL, NULL, 200, 'http://html.invalid/', '[]', '{"wait": 870, "queue": 1, "shoot": 129, "navigate": 322}', NULL, NULL, 1);
INSERT INTO "public"."screenshots_2026_11" VALUES ('01a214e9-877d-721a-9fcc-d6ae16adf262', 'df9f3d11-e27a-4164-90c9-6dc1100f0079', '03bf1183-251c-4840-a9a7-26ab96577d1e', '2026-11-25 22:52:39+00', 'done', 'http://html.invalid/', '{"html": "sha256 90f9f328b8180f03d9a4e6c7583b64682c5f67330a476a1df2f151c4e564e6af, 34 bytes", "delay": 0, "width": 1280, "format": "text", "height": 720, "locale": "en-US", "strict": false, "dry_run": false, "explain": false, "quality": 80, "timeout": 30, "block_ads": false, "cache_ttl": 3600, "full_page": true, "has_touch": false, "is_cached": false, "is_mobile": false, "pdf_scale": 1, "time_zone": "UTC", "bypass_csp": false, "javascript": true, "on_timeout": "error", "wait_until": ["auto"], "block_chats": false, "error_image": false, "pdf_outline": true, "is_landscape": false, "pdf_landscape": false, "response_type": "image", "block_trackers": false, "pdf_background": true, "omit_background": false, "pdf_single_page": false, "full_page_scroll": true, "disable_animations": true, "wait_until_timeout": 5, "device_scale_factor": 1, "block_cookie_banners": false, "full_page_max_height": 30000, "geolocation_accuracy": 10, "prefers_color_scheme": "light", "prefers_reduced_motion": "no-preference", "full_page_scroll_duration": 400, "error_on_selector_not_found": true}', '\xaeb6e5ba8023ecdc249c6affd42fa5efc14a7d835ed70f4f5ee7bde7d90de641', 'text', NULL, NULL, 20, 607, 'screenshots/2026/11/25/01a214e9-877d-721a-9fcc-d6ae16adf262.txt', NULL, NULL, '2026-12-25 22:52:58.621+00', '2026-11-25 22:52:58.622674+00', 'unknown', 'The page has hardly any text and no images, and matches no known wall or error.', NULL, NULL, 200, 'http://html.invalid/', '[]', '{"wait": 52, "queue": 478, "shoot": 44, "navigate": 33}', NULL, NULL, 1);
INSERT INTO "public"."screenshots_2026_11" VALUES ('01a214e9-8f5a-7078-8ec2-a3102a0f9d2c', 'df9f3d11-e27a-4164-90c9-6dc1100f0079', '03bf1183-251c-4840-a9a7-26ab96577d1e', '2026-11-25 22:52:39+00', 'failed', 'https://example.com/', '{"url": "https://example.com/", "clock": "frozen", "delay": 0, "width": 1280, "format": "png", "height": 720, "locale": "en-US", "strict": false, "dry_run": false, "explain": false, "quality": 80, "timeout": 30, "block_ads": false, "cache_ttl": 3600, "full_page": true, "has_touch": false, "is_cached": false, "is_mobile": false, "pdf_scale": 1, "time_zone": "UTC", "bypass_csp": false, "javascript": true, "on_timeout": "error", "wait_until": ["auto"], "block_chats": false, "error_image": false, "pdf_outline": true, "is_landscape": false, "pdf_landscape": false, "response_type": "image", "block_trackers": false, "pdf_background": true, "omit_background": false, "pdf_single_page": false, "full_page_scroll": true, "disable_animations": true, "wait_until_timeout": 5, "device_scale_factor": 1, "block_cookie_banners": false, "full_page_max_height": 30000, "geolocation_accuracy": 10, "prefers_color_scheme": "light", "prefers_reduced_motion": "no-preference", "full_page_scroll_duration": 400, "error_on_selector_not_found": true}', '\x491e0c1db2f25bccb93896604de40c919fccf352063ecd0034637b3466d6c21b', NULL, NULL, NULL, NULL, NULL, NULL, 'name_not_resolved', NULL, '2026-12-25 22:53:00.634+00', '2026-11-25 22:53:00.61906+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a214e9-8f52-705a-938c-eb276c001b57', 'image', 1);
INSERT INTO "public"."screenshots_2026_11" VALUES ('01a214e9-8abd-7443-9060-18c5d57dcd29', 'df9f3d11-e27a-4164-90c9-6dc1100f0079', '03bf1183-251c-4840-a9a7-26ab96577d1e', '2026-11-25 22:52:39+00', 'failed', 'http://html.invalid/', '{"html": "sha256 3f29156cb161ccb87c482a06be446fd644a6c9b856a292ff20c8cc04d40c42bd, 23 bytes", "delay": 0, "width": 320, "format": "jpeg", "height": 720, "locale": "en-US", "strict": false, "dry_run": false, "explain": false, "quality": 80, "timeout": 30, "selector": "#nowhere", "block_ads": false, "cache_ttl": 3600, "full_page": false, "has_touch": false, "is_cached": false, "is_mobile": false, "pdf_scale": 1, "time_zone": "UTC", "bypass_csp": false, "javascript": true, "on_timeout": "error", "wait_until": ["auto"], "block_chats": false, "error_image": false, "pdf_outline": true, "is_landscape": false, "pdf_landscape": false, "response_type": "image", "block_trackers": false, "pdf_background": true, "omit_background": false, "pdf_single_page": false, "full_page_scroll": true, "disable_animations": true, "wait_until_timeout": 5, "device_scale_factor": 1, "block_cookie_banners": false, "full_page_max_height": 30000, "geolocation_accuracy": 10, "prefers_color_scheme": "light", "prefers_reduced_motion": "no-preference", "full_page_scroll_duration": 400, "error_on_selector_not_found": true}', '\x11d65eeb5737a92a8676982187c0b1b6ae4629d42300c3e4b0b52f52fad91946', NULL, NULL, NULL, NULL, NULL, NULL, 'selector_not_found', NULL, '2026-12-25 22:52:59.453+00', '2026-11-25 22:52:59.452878+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a214e9-8abd-7443-9060-129183abc746', 'screenshot', 1);
INSERT INTO "public"."screenshots_2026_11" VALUES ('01a214e9-8f5a-7078-8ec2-a483216c1b58', 'df9f3d11-e27a-4164-90c9-6dc1100f0079', '03bf1183-251c-4840-a9a7-26ab96577d1e', '2026-11-25 22:52:39+00', 'failed', 'https://example.com/', '{"url": "https://example.com/", "clock": "frozen", "delay": 0, "width": 1280, "format": "elements", "height": 720, "locale": "en-US", "strict": false, "dry_run": false, "explain": false, "quality": 80, "timeout": 30, "block_ads": false, "cache_ttl": 3600, "full_page": true, "has_touch": false, "is_cached": false, "is_mobile": false, "pdf_scale": 1, "time_zone": "UTC", "bypass_csp": false, "javascript": true, "on_timeout": "error", "wait_until": ["auto"], "block_chats": false, "error_image": false, "pdf_outline": true, "is_landscape": false, "pdf_landscape": false, "response_type": "image", "block_trackers": false, "pdf_background": true, "omit_background": false, "pdf_single_page": false, "full_page_scroll": true, "disable_animations": true, "wait_until_timeout": 5, "device_scale_factor": 1, "block_cookie_banners": false, "full_page_max_height": 30000, "geolocation_accuracy": 10, "prefers_color_scheme": "light", "prefers_reduced_motion": "no-preference", "full_page_scroll_duration": 400, "error_on_selector_not_found": true}', '\xa7ca65a90b4870effbd182dc19479768e7c4feab23cb7857b421a9437e1ab954', NULL, NULL, NULL, NULL, NULL, NULL, 'name_not_resolved', NULL, '2026-12-25 22:53:00.634+00', '2026-11-25 22:53:00.61906+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a214e9-8f52-705a-938c-eb276c001b57', 'elements', 0);
INSERT INTO "public"."screenshots_2026_11" VALUES ('01a214e9-8a30-7446-afd3-8a97ddcf8a98', 'df9f3d11-e27a-4164-90c9-6dc1100f0079', '03bf1183-251c-4840-a9a7-26ab96577d1e', '2026-11-25 22:52:39+00', 'done', 'http://html.invalid/', '{"html": "sha256 9fed3b5eb321bb254ad550f71fc710ff4ee748722a27ed4071dd4514a5e1ef76, 41 bytes", "delay": 0, "width": 1280, "format": "pdf", "height": 720, "locale": "en-US", "strict": false, "dry_run": false, "explain": false, "quality": 80, "timeout": 30, "block_ads": false, "cache_ttl": 3600, "full_page": true, "has_touch": false, "is_cached": false, "is_mobile": false, "pdf_scale": 1, "time_zone": "UTC", "bypass_csp": false, "javascript": true, "media_type": "print", "on_timeout": "error", "wait_until": ["auto"], "block_chats": false, "error_image": false, "pdf_outline": true, "is_landscape": false, "pdf_landscape": false, "response_type": "image", "block_trackers": false, "pdf_background": true, "omit_background": false, "pdf_single_page": false, "full_page_scroll": true, "disable_animations": true, "wait_until_timeout": 5, "device_scale_factor": 1, "block_cookie_banners": false, "full_page_max_height": 30000, "geolocation_accuracy": 10, "prefers_color_scheme": "light", "prefers_reduced_motion": "no-preference", "full_page_scroll_duration": 400, "error_on_selector_not_found": true}', '\xed87cae225218894e7f1991975e4589ae793a9d3aebb6b1a50c33cc21a167290', 'pdf', NULL, NULL, 12071, 1141, 'screenshots/2026/11/25/01a214e9-8a30-7446-afd3-8a97ddcf8a98.pdf', NULL, NULL, '2026-12-25 22:52:59.312+00', '2026-11-25 22:52:59.292181+00', 'unknown', 'The page has hardly any text and no images, and matches no known wall or error.', NULL, NULL, 200, 'http://html.invalid/', '[]', '{"wait": 17, "queue": 0, "shoot": 304, "navigate": 31}', '01a214e9-8a1b-715b-971d-433a139a2018', 'output-2', 0);
INSERT INTO "public"."screenshots_2026_11" VALUES ('01a214e9-8a30-7446-afd3-844f824297fb', 'df9f3d11-e27a-4164-90c9-6dc1100f0079', '03bf1183-251c-4840-a9a7-26ab96577d1e', '2026-11-25 22:52:39+00', 'done', 'http://html.invalid/', '{"html": "sha256 9fed3b5eb321bb254ad550f71fc710ff4ee748722a27ed4071dd4514a5e1ef76, 41 bytes", "delay": 0, "width": 320, "format": "jpeg", "height": 720, "locale": "en-US", "strict": false, "dry_run": false, "explain": false, "quality": 80, "timeout": 30, "block_ads": false, "cache_ttl": 3600, "full_page": false, "has_touch": false, "is_cached": false, "is_mobile": false, "pdf_scale": 1, "time_zone": "UTC", "bypass_csp": false, "javascript": true, "on_timeout": "error", "wait_until": ["auto"], "block_chats": false, "error_image": false, "pdf_outline": true, "is_landscape": false, "pdf_landscape": false, "response_type": "image", "block_trackers": false, "pdf_background": true, "omit_background": false, "pdf_single_page": false, "full_page_scroll": true, "disable_animations": true, "wait_until_timeout": 5, "device_scale_factor": 1, "block_cookie_banners": false, "full_page_max_height": 30000, "geolocation_accuracy": 10, "prefers_color_scheme": "light", "prefers_reduced_motion": "no-preference", "full_page_scroll_duration": 400, "error_on_selector_not_found": true}', '\x62264f678addff7203ff8b350da0abd16883e604c0f055e1492c1703e56eed85', 'jpeg', 320, 720, 6314, 1140, 'screenshots/2026/11/25/01a214e9-8a30-7446-afd3-844f824297fb.jpg', NULL, NULL, '2026-12-25 22:52:59.312+00', '2026-11-25 22:52:59.292181+00', 'unknown', 'The page has hardly any text and no images, and matches no known wall or error.', NULL, NULL, 200, 'http://html.invalid/', '[]', '{"wait": 17, "queue": 694, "shoot": 50, "navigate": 15}', '01a214e9-8a1b-715b-971d-433a139a2018', 'output-1', 1);
INSERT INTO "public"."screenshots_2026_11" VALUES ('01a214e9-8abd-7443-9060-16015c611320', 'df9f3d11-e27a-4164-90c9-6dc1100f0079', '03bf1183-251c-4840-a9a7-26ab96577d1e', '2026-11-25 22:52:39+00', 'done', 'http://html.invalid/', '{"html": "sha256 62286018bb79de02676e3ac1299ed767d19c66716441656a151eae30a75fec90, 23 bytes", "delay": 0, "width": 320, "format": "jpeg", "height": 720, "locale": "en-US", "strict": false, "dry_run": false, "explain": false, "quality": 80, "timeout": 30, "block_ads": false, "cache_ttl": 3600, "full_page": false, "has_touch": false, "is_cached": false, "is_mobile": false, "pdf_scale": 1, "time_zone": "UTC", "bypass_csp": false, "javascript": true, "on_timeout": "error", "wait_until": ["auto"], "block_chats": false, "error_image": false, "pdf_outline": true, "is_landscape": false, "pdf_landscape": false, "response_type": "image", "block_trackers": false, "pdf_background": true, "omit_background": false, "pdf_single_page": false, "full_page_scroll": true, "disable_animations": true, "wait_until_timeout": 5, "device_scale_factor": 1, "block_cookie_banners": false, "full_page_max_height": 30000, "geolocation_accuracy": 10, "prefers_color_scheme": "light", "prefers_reduced_motion": "no-preference", "full_page_scroll_duration": 400, "error_on_selector_not_found": true}', '\x4a24f919c194cad20aa3ed86e9f43946c86b31ac952d6194de207d3201899351', 'jpeg', 320, 720, 3597, 3073, 'screenshots/2026/11/25/01a214e9-8abd-7443-9060-16015c611320.jpg', NULL, NULL, '2026-12-25 22:52:59.453+00', '2026-11-25 22:52:59.452878+00', 'unknown', 'The page has hardly any text and no images, and matches no known wall or error.', NULL, NULL, 200, 'http://html.invalid/', '[]', '{"wait": 241, "queue": 2193, "shoot": 32, "navigate": 604}', '01a214e9-8abd-7443-9060-0db2532f6c51', 'screenshot', 1);

INSERT INTO "public"."subscriptions" VALUES ('df9f3d11-e27a-4164-90c9-6dc1100f0079', 'pro', 'manual', '2026-11-25 22:52:39+00', NULL, NULL, '2026-11-25 22:52:39.873652+00');
INSERT INTO "public"."subscriptions" VALUES ('c8911235-e990-44b6-a6f8-438a2e4c1c03', 'enterprise', 'manual', '2026-11-25 22:52:42+00', 1000000, NULL, '2026-11-25 22:52:42.333568+00');
INSERT INTO "public"."subscriptions" VALUES ('804e1e70-da7d-4430-a609-a8e9778f9958', 'pro', 'manual', '2026-11-25 22:53:07+00', NULL, 50, '2026-11-25 22:53:07.918763+00');

INSERT INTO "public"."usage_days" VALUES ('df9f3d11-e27a-4164-90c9-6dc1100f0079', '03bf1183-251c-4840-a9a7-26ab96577d1e', '2026-11-25', 4, 0, 2, 0, 4426);

INSERT INTO "public"."usage_periods" VALUES ('df9f3d11-e27a-4164-90c9-6dc1100f0079', '2026-11-25 22:52:39+00', 4);

INSERT INTO "public"."users" VALUES ('c8911235-e990-44b6-a6f8-438a2e4c1c03', 'load', 'load@example.com', false, NULL, 'user', '2026-11-25 22:52:41.597416+00', '2026-11-25 22:52:41.597416+00', NULL, NULL, NULL, false);
INSERT INTO "public"."users" VALUES ('df9f3d11-e27a-4164-90c9-6dc1100f0079', 'demo', 'demo@example.com', false, NULL, 'admin', '2026-11-25 22:52:38.65312+00', '2026-11-25 22:52:44.025292+00', NULL, NULL, NULL, false);
INSERT INTO "public"."users" VALUES ('804e1e70-da7d-4430-a609-a8e9778f9958', 'second', 'second@example.com', false, NULL, 'user', '2026-11-25 22:53:04.301459+00', '2026-11-25 22:53:04.301459+00', NULL, NULL, NULL, false);

INSERT INTO "public"."watch_runs" VALUES ('01a214e9-8f52-705a-938c-eb276c001b57', '01a214e9-8b62-779c-b3f5-0fcb1bf2405e', 'failed', true, NULL, NULL, NULL, true, NULL, 'name_not_resolved', 'The target''s host name does not resolve to a public address.', '2026-11-25 22:53:00.61906+00', '2026-11-25 22:53:01.715391+00', '2026-11-25 22:53:01.749292+00');

INSERT INTO "public"."watches" VALUES ('01a214e9-8b62-779c-b3f5-0fcb1bf2405e', 'df9f3d11-e27a-4164-90c9-6dc1100f0079', '03bf1183-251c-4840-a9a7-26ab96577d1e', 'A page', 'https://example.com/', '{}', '\xe8a78875801a9a16b8b5718cc250b645bd8fbcd47f393c349157c419e88c3dc03fdc97e174b754d97c4945a295333b7f6caca4005ae673eccc842a5bd5715802bfe275850ac956f9b395b56db10059c3aad88c918c650965487ba2c52eec18f8457f1d4c8bf655b5ee28cbd5d6', '30d', NULL, 'UTC', 'both', 0, '{}', NULL, 0, true, NULL, NULL, NULL, '{}', '2026-12-25 22:52:59.598+00', NULL, NULL, '2026-11-25 22:52:59.598086+00');

SELECT pg_catalog.setval('"public"."migrations_id_seq"', 1, true);

ALTER TABLE ONLY "jobs"."bam"
    ADD CONSTRAINT "bam_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "jobs"."instance"
    ADD CONSTRAINT "instance_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "jobs"."job"
    ADD CONSTRAINT "job_pkey" PRIMARY KEY ("name", "id");

ALTER TABLE ONLY "jobs"."job_common"
    ADD CONSTRAINT "job_common_pkey" PRIMARY KEY ("name", "id");

ALTER TABLE ONLY "jobs"."job_dependency"
    ADD CONSTRAINT "job_dependency_pkey" PRIMARY KEY ("child_name", "child_id", "parent_name", "parent_id");

ALTER TABLE ONLY "jobs"."queue"
    ADD CONSTRAINT "queue_pkey" PRIMARY KEY ("name");

ALTER TABLE ONLY "jobs"."queue_stats"
    ADD CONSTRAINT "queue_stats_pkey" PRIMARY KEY ("id", "captured_on");

ALTER TABLE ONLY "jobs"."queue_stats_20261125"
    ADD CONSTRAINT "queue_stats_20261125_pkey" PRIMARY KEY ("id", "captured_on");

ALTER TABLE ONLY "jobs"."queue_stats_20261126"
    ADD CONSTRAINT "queue_stats_20261126_pkey" PRIMARY KEY ("id", "captured_on");

ALTER TABLE ONLY "jobs"."schedule"
    ADD CONSTRAINT "schedule_pkey" PRIMARY KEY ("name", "key");

ALTER TABLE ONLY "jobs"."subscription"
    ADD CONSTRAINT "subscription_pkey" PRIMARY KEY ("event", "name");

ALTER TABLE ONLY "jobs"."version"
    ADD CONSTRAINT "version_pkey" PRIMARY KEY ("version");

ALTER TABLE ONLY "jobs"."warning"
    ADD CONSTRAINT "warning_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."api_keys"
    ADD CONSTRAINT "api_keys_hash_key" UNIQUE ("hash");

ALTER TABLE ONLY "public"."api_keys"
    ADD CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."audit_entries"
    ADD CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."batches"
    ADD CONSTRAINT "batches_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."billing_comparison"
    ADD CONSTRAINT "billing_comparison_pkey" PRIMARY KEY ("only_row");

ALTER TABLE ONLY "public"."billing_customers"
    ADD CONSTRAINT "billing_customers_pkey" PRIMARY KEY ("user_id");

ALTER TABLE ONLY "public"."billing_events"
    ADD CONSTRAINT "billing_events_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."browser_sessions"
    ADD CONSTRAINT "browser_sessions_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."captures"
    ADD CONSTRAINT "captures_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."identities"
    ADD CONSTRAINT "identities_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."identities"
    ADD CONSTRAINT "identities_provider_id_account_id_key" UNIQUE ("provider_id", "account_id");

ALTER TABLE ONLY "public"."invitations"
    ADD CONSTRAINT "invitations_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."invitations"
    ADD CONSTRAINT "invitations_token_hash_key" UNIQUE ("token_hash");

ALTER TABLE ONLY "public"."migrations"
    ADD CONSTRAINT "migrations_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."notices"
    ADD CONSTRAINT "notices_pkey" PRIMARY KEY ("user_id", "kind", "subject");

ALTER TABLE ONLY "public"."passkeys"
    ADD CONSTRAINT "passkeys_credential_id_key" UNIQUE ("credential_id");

ALTER TABLE ONLY "public"."passkeys"
    ADD CONSTRAINT "passkeys_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."plans"
    ADD CONSTRAINT "plans_billing_product_id_key" UNIQUE ("billing_product_id");

ALTER TABLE ONLY "public"."plans"
    ADD CONSTRAINT "plans_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."plans"
    ADD CONSTRAINT "plans_rank_key" UNIQUE ("rank");

ALTER TABLE ONLY "public"."screenshot_months"
    ADD CONSTRAINT "screenshot_months_pkey" PRIMARY KEY ("name");

ALTER TABLE ONLY "public"."screenshots"
    ADD CONSTRAINT "screenshots_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."screenshots_2026_11"
    ADD CONSTRAINT "screenshots_2026_11_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."screenshots_2026_12"
    ADD CONSTRAINT "screenshots_2026_12_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."screenshots_2027_01"
    ADD CONSTRAINT "screenshots_2027_01_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."screenshots_2027_02"
    ADD CONSTRAINT "screenshots_2027_02_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."screenshots_default"
    ADD CONSTRAINT "screenshots_default_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."sessions"
    ADD CONSTRAINT "sessions_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."sessions"
    ADD CONSTRAINT "sessions_token_key" UNIQUE ("token");

ALTER TABLE ONLY "public"."subscriptions"
    ADD CONSTRAINT "subscriptions_pkey" PRIMARY KEY ("user_id");

ALTER TABLE ONLY "public"."two_factors"
    ADD CONSTRAINT "two_factors_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."usage_days"
    ADD CONSTRAINT "usage_days_pkey" PRIMARY KEY ("user_id", "day", "key_id");

ALTER TABLE ONLY "public"."usage_periods"
    ADD CONSTRAINT "usage_periods_pkey" PRIMARY KEY ("user_id", "period_start");

ALTER TABLE ONLY "public"."users"
    ADD CONSTRAINT "users_email_key" UNIQUE ("email");

ALTER TABLE ONLY "public"."users"
    ADD CONSTRAINT "users_invitation_id_key" UNIQUE ("invitation_id");

ALTER TABLE ONLY "public"."users"
    ADD CONSTRAINT "users_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."verifications"
    ADD CONSTRAINT "verifications_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."watch_muted"
    ADD CONSTRAINT "watch_muted_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."watch_runs"
    ADD CONSTRAINT "watch_runs_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."watches"
    ADD CONSTRAINT "watches_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."webhook_addresses"
    ADD CONSTRAINT "webhook_addresses_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."webhook_addresses"
    ADD CONSTRAINT "webhook_addresses_user_id_url_key" UNIQUE ("user_id", "url");

ALTER TABLE ONLY "public"."webhook_deliveries"
    ADD CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."webhook_secrets"
    ADD CONSTRAINT "webhook_secrets_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."webhook_tries"
    ADD CONSTRAINT "webhook_tries_delivery_id_number_key" UNIQUE ("delivery_id", "number");

ALTER TABLE ONLY "public"."webhook_tries"
    ADD CONSTRAINT "webhook_tries_pkey" PRIMARY KEY ("id");

CREATE UNIQUE INDEX "job_common_i1" ON "jobs"."job_common" USING "btree" ("name", COALESCE("singleton_key", ''::"text")) WHERE (("state" = 'created'::"jobs"."job_state") AND ("policy" = 'short'::"text"));

CREATE INDEX "job_common_i10" ON "jobs"."job_common" USING "btree" ("name", "singleton_key", "state" DESC, "created_on", "id") INCLUDE ("start_after") WHERE (("state" < 'active'::"jobs"."job_state") AND (NOT "blocked") AND ("policy" = 'key_strict_fifo'::"text"));

CREATE INDEX "job_common_i11" ON "jobs"."job_common" USING "btree" ("name", "priority" DESC, "created_on", "start_after") WHERE (("state" < 'active'::"jobs"."job_state") AND (NOT "blocked"));

CREATE INDEX "job_common_i12" ON "jobs"."job_common" USING "btree" ("source_root_id") WHERE ("source_root_id" IS NOT NULL);

CREATE UNIQUE INDEX "job_common_i13" ON "jobs"."job_common" USING "btree" ("name", "singleton_key") WHERE (("state" = 'created'::"jobs"."job_state") AND "upsert_by_key");

CREATE INDEX "job_common_i14" ON "jobs"."job_common" USING "btree" ("name", "state", "blocked", "start_after") WHERE ("state" = ANY (ARRAY['created'::"jobs"."job_state", 'retry'::"jobs"."job_state", 'active'::"jobs"."job_state", 'failed'::"jobs"."job_state"]));

CREATE INDEX "job_common_i15" ON "jobs"."job_common" USING "btree" ("name", "created_on");

CREATE INDEX "job_common_i16" ON "jobs"."job_common" USING "btree" ("name", "completed_on") WHERE ("completed_on" IS NOT NULL);

CREATE INDEX "job_common_i17" ON "jobs"."job_common" USING "btree" ("name", "singleton_key", "created_on") WHERE (("state" < 'active'::"jobs"."job_state") AND ("singleton_key" IS NOT NULL));

CREATE UNIQUE INDEX "job_common_i2" ON "jobs"."job_common" USING "btree" ("name", COALESCE("singleton_key", ''::"text")) WHERE (("state" = 'active'::"jobs"."job_state") AND ("policy" = 'singleton'::"text"));

CREATE UNIQUE INDEX "job_common_i3" ON "jobs"."job_common" USING "btree" ("name", "state", COALESCE("singleton_key", ''::"text")) WHERE (("state" <= 'active'::"jobs"."job_state") AND ("policy" = 'stately'::"text"));

CREATE UNIQUE INDEX "job_common_i4" ON "jobs"."job_common" USING "btree" ("name", "singleton_on", COALESCE("singleton_key", ''::"text")) WHERE (("state" <> 'cancelled'::"jobs"."job_state") AND ("singleton_on" IS NOT NULL));

CREATE UNIQUE INDEX "job_common_i6" ON "jobs"."job_common" USING "btree" ("name", COALESCE("singleton_key", ''::"text")) WHERE (("state" <= 'active'::"jobs"."job_state") AND ("policy" = 'exclusive'::"text"));

CREATE INDEX "job_common_i7" ON "jobs"."job_common" USING "btree" ("name", "group_id") WHERE (("state" = 'active'::"jobs"."job_state") AND ("group_id" IS NOT NULL));

CREATE UNIQUE INDEX "job_common_i8" ON "jobs"."job_common" USING "btree" ("name", "singleton_key") WHERE (("state" = ANY (ARRAY['active'::"jobs"."job_state", 'retry'::"jobs"."job_state", 'failed'::"jobs"."job_state"])) AND ("policy" = 'key_strict_fifo'::"text"));

CREATE INDEX "job_common_i9" ON "jobs"."job_common" USING "btree" ("name", "id") WHERE ("blocking" AND ("state" = 'completed'::"jobs"."job_state"));

CREATE INDEX "job_dep_parent_idx" ON "jobs"."job_dependency" USING "btree" ("parent_name", "parent_id");

CREATE INDEX "queue_stats_i1" ON ONLY "jobs"."queue_stats" USING "btree" ("name", "captured_on" DESC) INCLUDE ("deferred_count", "queued_count", "ready_count", "active_count", "failed_count", "total_count");

CREATE INDEX "queue_stats_20261125_name_captured_on_deferred_count_queued_idx" ON "jobs"."queue_stats_20261125" USING "btree" ("name", "captured_on" DESC) INCLUDE ("deferred_count", "queued_count", "ready_count", "active_count", "failed_count", "total_count");

CREATE INDEX "queue_stats_20261126_name_captured_on_deferred_count_queued_idx" ON "jobs"."queue_stats_20261126" USING "btree" ("name", "captured_on" DESC) INCLUDE ("deferred_count", "queued_count", "ready_count", "active_count", "failed_count", "total_count");

CREATE INDEX "warning_i1" ON "jobs"."warning" USING "btree" ("created_on" DESC);

CREATE INDEX "api_keys_expires_at" ON "public"."api_keys" USING "btree" ("expires_at") WHERE (("revoked_at" IS NULL) AND ("expires_at" IS NOT NULL));

CREATE INDEX "api_keys_of_user" ON "public"."api_keys" USING "btree" ("user_id");

CREATE INDEX "api_keys_replaced_by" ON "public"."api_keys" USING "btree" ("replaced_by") WHERE ("replaced_by" IS NOT NULL);

CREATE INDEX "audit_entries_created_at" ON "public"."audit_entries" USING "btree" ("created_at");

CREATE INDEX "audit_entries_of_account" ON "public"."audit_entries" USING "btree" ("account_id", "id" DESC);

CREATE INDEX "audit_entries_of_actor" ON "public"."audit_entries" USING "btree" ("actor_id", "id" DESC);

CREATE INDEX "batches_account" ON "public"."batches" USING "btree" ("user_id", "id");

CREATE INDEX "batches_expiry" ON "public"."batches" USING "btree" ("expires_at");

CREATE UNIQUE INDEX "batches_idempotency" ON "public"."batches" USING "btree" ("user_id", "idempotency_key") WHERE ("idempotency_key" IS NOT NULL);

CREATE INDEX "batches_open" ON "public"."batches" USING "btree" ("created_at") WHERE ("ended_at" IS NULL);

CREATE INDEX "billing_customers_due" ON "public"."billing_customers" USING "btree" ("due_at");

CREATE INDEX "billing_events_received" ON "public"."billing_events" USING "btree" ("received_at");

CREATE INDEX "browser_sessions_started_at" ON "public"."browser_sessions" USING "btree" ("started_at");

CREATE INDEX "browser_sessions_user_id" ON "public"."browser_sessions" USING "btree" ("user_id", "started_at");

CREATE INDEX "captures_batch" ON "public"."captures" USING "btree" ("batch_id", "position") WHERE ("batch_id" IS NOT NULL);

CREATE INDEX "captures_expiry" ON "public"."captures" USING "btree" ("expires_at");

CREATE INDEX "captures_held" ON "public"."captures" USING "btree" ("host", "turn") WHERE ("is_held" AND ("status" = ANY (ARRAY['queued'::"text", 'running'::"text"])));

CREATE UNIQUE INDEX "captures_idempotency" ON "public"."captures" USING "btree" ("user_id", "idempotency_key") WHERE ("idempotency_key" IS NOT NULL);

CREATE INDEX "captures_of_user" ON "public"."captures" USING "btree" ("user_id");

CREATE INDEX "captures_open" ON "public"."captures" USING "btree" ("created_at") WHERE ("status" = ANY (ARRAY['queued'::"text", 'running'::"text"]));

CREATE INDEX "captures_own_turns" ON "public"."captures" USING "btree" ("user_id", "turn") WHERE ("status" = 'queued'::"text");

CREATE INDEX "captures_places" ON "public"."captures" USING "btree" ("host", "place_until") WHERE (("place_until" IS NOT NULL) AND ("status" = ANY (ARRAY['queued'::"text", 'running'::"text"])));

CREATE INDEX "captures_turns" ON "public"."captures" USING "btree" ("turn") WHERE (("status" = 'queued'::"text") AND (NOT "is_held"));

CREATE INDEX "captures_unanswered" ON "public"."captures" USING "btree" ("answer_by") WHERE ("answer_by" IS NOT NULL);

CREATE INDEX "captures_visits" ON "public"."captures" USING "btree" ("host", "visited_at") WHERE ("visited_at" IS NOT NULL);

CREATE INDEX "identities_user_id" ON "public"."identities" USING "btree" ("user_id");

CREATE INDEX "invitations_newest" ON "public"."invitations" USING "btree" ("created_at" DESC, "id" DESC);

CREATE INDEX "notices_created_at" ON "public"."notices" USING "btree" ("created_at");

CREATE INDEX "passkeys_user_id" ON "public"."passkeys" USING "btree" ("user_id");

CREATE INDEX "screenshots_capture" ON ONLY "public"."screenshots" USING "btree" ("capture_id") WHERE ("capture_id" IS NOT NULL);

CREATE INDEX "screenshots_2026_11_capture_id_idx" ON "public"."screenshots_2026_11" USING "btree" ("capture_id") WHERE ("capture_id" IS NOT NULL);

CREATE INDEX "screenshots_recent_failures" ON ONLY "public"."screenshots" USING "btree" ("created_at") INCLUDE ("error") WHERE ("status" = 'failed'::"text");

CREATE INDEX "screenshots_2026_11_created_at_error_idx" ON "public"."screenshots_2026_11" USING "btree" ("created_at") INCLUDE ("error") WHERE ("status" = 'failed'::"text");

CREATE INDEX "screenshots_expiry" ON ONLY "public"."screenshots" USING "btree" ("expires_at");

CREATE INDEX "screenshots_2026_11_expires_at_idx" ON "public"."screenshots_2026_11" USING "btree" ("expires_at");

CREATE INDEX "screenshots_kept" ON ONLY "public"."screenshots" USING "btree" ("id") WHERE ("object_key" IS NOT NULL);

CREATE INDEX "screenshots_2026_11_id_idx" ON "public"."screenshots_2026_11" USING "btree" ("id") WHERE ("object_key" IS NOT NULL);

CREATE INDEX "screenshots_lease" ON ONLY "public"."screenshots" USING "btree" ("lease_until") WHERE ("status" = 'pending'::"text");

CREATE INDEX "screenshots_2026_11_lease_until_idx" ON "public"."screenshots_2026_11" USING "btree" ("lease_until") WHERE ("status" = 'pending'::"text");

CREATE INDEX "screenshots_kinds_of_key" ON ONLY "public"."screenshots" USING "btree" ("user_id", COALESCE("key_id", '00000000-0000-0000-0000-000000000000'::"uuid"), "status", COALESCE("format", ''::"text"), COALESCE("verdict", ''::"text"), "id") WHERE ("status" <> 'pending'::"text");

CREATE INDEX "screenshots_2026_11_user_id_coalesce_status_coalesce1_coale_idx" ON "public"."screenshots_2026_11" USING "btree" ("user_id", COALESCE("key_id", '00000000-0000-0000-0000-000000000000'::"uuid"), "status", COALESCE("format", ''::"text"), COALESCE("verdict", ''::"text"), "id") WHERE ("status" <> 'pending'::"text");

CREATE INDEX "screenshots_history" ON ONLY "public"."screenshots" USING "btree" ("user_id", "id" DESC);

CREATE INDEX "screenshots_2026_11_user_id_id_idx" ON "public"."screenshots_2026_11" USING "btree" ("user_id", "id" DESC);

CREATE INDEX "screenshots_pending" ON ONLY "public"."screenshots" USING "btree" ("user_id", "id") WHERE ("status" = 'pending'::"text");

CREATE INDEX "screenshots_2026_11_user_id_id_idx1" ON "public"."screenshots_2026_11" USING "btree" ("user_id", "id") WHERE ("status" = 'pending'::"text");

CREATE INDEX "screenshots_kinds" ON ONLY "public"."screenshots" USING "btree" ("user_id", "status", COALESCE("format", ''::"text"), COALESCE("verdict", ''::"text"), "id") WHERE ("status" <> 'pending'::"text");

CREATE INDEX "screenshots_2026_11_user_id_status_coalesce_coalesce1_id_idx" ON "public"."screenshots_2026_11" USING "btree" ("user_id", "status", COALESCE("format", ''::"text"), COALESCE("verdict", ''::"text"), "id") WHERE ("status" <> 'pending'::"text");

CREATE INDEX "screenshots_2026_12_capture_id_idx" ON "public"."screenshots_2026_12" USING "btree" ("capture_id") WHERE ("capture_id" IS NOT NULL);

CREATE INDEX "screenshots_2026_12_created_at_error_idx" ON "public"."screenshots_2026_12" USING "btree" ("created_at") INCLUDE ("error") WHERE ("status" = 'failed'::"text");

CREATE INDEX "screenshots_2026_12_expires_at_idx" ON "public"."screenshots_2026_12" USING "btree" ("expires_at");

CREATE INDEX "screenshots_2026_12_id_idx" ON "public"."screenshots_2026_12" USING "btree" ("id") WHERE ("object_key" IS NOT NULL);

CREATE INDEX "screenshots_2026_12_lease_until_idx" ON "public"."screenshots_2026_12" USING "btree" ("lease_until") WHERE ("status" = 'pending'::"text");

CREATE INDEX "screenshots_2026_12_user_id_coalesce_status_coalesce1_coale_idx" ON "public"."screenshots_2026_12" USING "btree" ("user_id", COALESCE("key_id", '00000000-0000-0000-0000-000000000000'::"uuid"), "status", COALESCE("format", ''::"text"), COALESCE("verdict", ''::"text"), "id") WHERE ("status" <> 'pending'::"text");

CREATE INDEX "screenshots_2026_12_user_id_id_idx" ON "public"."screenshots_2026_12" USING "btree" ("user_id", "id" DESC);

CREATE INDEX "screenshots_2026_12_user_id_id_idx1" ON "public"."screenshots_2026_12" USING "btree" ("user_id", "id") WHERE ("status" = 'pending'::"text");

CREATE INDEX "screenshots_2026_12_user_id_status_coalesce_coalesce1_id_idx" ON "public"."screenshots_2026_12" USING "btree" ("user_id", "status", COALESCE("format", ''::"text"), COALESCE("verdict", ''::"text"), "id") WHERE ("status" <> 'pending'::"text");

CREATE INDEX "screenshots_2027_01_capture_id_idx" ON "public"."screenshots_2027_01" USING "btree" ("capture_id") WHERE ("capture_id" IS NOT NULL);

CREATE INDEX "screenshots_2027_01_created_at_error_idx" ON "public"."screenshots_2027_01" USING "btree" ("created_at") INCLUDE ("error") WHERE ("status" = 'failed'::"text");

CREATE INDEX "screenshots_2027_01_expires_at_idx" ON "public"."screenshots_2027_01" USING "btree" ("expires_at");

CREATE INDEX "screenshots_2027_01_id_idx" ON "public"."screenshots_2027_01" USING "btree" ("id") WHERE ("object_key" IS NOT NULL);

CREATE INDEX "screenshots_2027_01_lease_until_idx" ON "public"."screenshots_2027_01" USING "btree" ("lease_until") WHERE ("status" = 'pending'::"text");

CREATE INDEX "screenshots_2027_01_user_id_coalesce_status_coalesce1_coale_idx" ON "public"."screenshots_2027_01" USING "btree" ("user_id", COALESCE("key_id", '00000000-0000-0000-0000-000000000000'::"uuid"), "status", COALESCE("format", ''::"text"), COALESCE("verdict", ''::"text"), "id") WHERE ("status" <> 'pending'::"text");

CREATE INDEX "screenshots_2027_01_user_id_id_idx" ON "public"."screenshots_2027_01" USING "btree" ("user_id", "id" DESC);

CREATE INDEX "screenshots_2027_01_user_id_id_idx1" ON "public"."screenshots_2027_01" USING "btree" ("user_id", "id") WHERE ("status" = 'pending'::"text");

CREATE INDEX "screenshots_2027_01_user_id_status_coalesce_coalesce1_id_idx" ON "public"."screenshots_2027_01" USING "btree" ("user_id", "status", COALESCE("format", ''::"text"), COALESCE("verdict", ''::"text"), "id") WHERE ("status" <> 'pending'::"text");

CREATE INDEX "screenshots_2027_02_capture_id_idx" ON "public"."screenshots_2027_02" USING "btree" ("capture_id") WHERE ("capture_id" IS NOT NULL);

CREATE INDEX "screenshots_2027_02_created_at_error_idx" ON "public"."screenshots_2027_02" USING "btree" ("created_at") INCLUDE ("error") WHERE ("status" = 'failed'::"text");

CREATE INDEX "screenshots_2027_02_expires_at_idx" ON "public"."screenshots_2027_02" USING "btree" ("expires_at");

CREATE INDEX "screenshots_2027_02_id_idx" ON "public"."screenshots_2027_02" USING "btree" ("id") WHERE ("object_key" IS NOT NULL);

CREATE INDEX "screenshots_2027_02_lease_until_idx" ON "public"."screenshots_2027_02" USING "btree" ("lease_until") WHERE ("status" = 'pending'::"text");

CREATE INDEX "screenshots_2027_02_user_id_coalesce_status_coalesce1_coale_idx" ON "public"."screenshots_2027_02" USING "btree" ("user_id", COALESCE("key_id", '00000000-0000-0000-0000-000000000000'::"uuid"), "status", COALESCE("format", ''::"text"), COALESCE("verdict", ''::"text"), "id") WHERE ("status" <> 'pending'::"text");

CREATE INDEX "screenshots_2027_02_user_id_id_idx" ON "public"."screenshots_2027_02" USING "btree" ("user_id", "id" DESC);

CREATE INDEX "screenshots_2027_02_user_id_id_idx1" ON "public"."screenshots_2027_02" USING "btree" ("user_id", "id") WHERE ("status" = 'pending'::"text");

CREATE INDEX "screenshots_2027_02_user_id_status_coalesce_coalesce1_id_idx" ON "public"."screenshots_2027_02" USING "btree" ("user_id", "status", COALESCE("format", ''::"text"), COALESCE("verdict", ''::"text"), "id") WHERE ("status" <> 'pending'::"text");

CREATE INDEX "screenshots_default_capture_id_idx" ON "public"."screenshots_default" USING "btree" ("capture_id") WHERE ("capture_id" IS NOT NULL);

CREATE INDEX "screenshots_default_created_at_error_idx" ON "public"."screenshots_default" USING "btree" ("created_at") INCLUDE ("error") WHERE ("status" = 'failed'::"text");

CREATE INDEX "screenshots_default_expires_at_idx" ON "public"."screenshots_default" USING "btree" ("expires_at");

CREATE INDEX "screenshots_default_id_idx" ON "public"."screenshots_default" USING "btree" ("id") WHERE ("object_key" IS NOT NULL);

CREATE INDEX "screenshots_default_lease_until_idx" ON "public"."screenshots_default" USING "btree" ("lease_until") WHERE ("status" = 'pending'::"text");

CREATE INDEX "screenshots_default_user_id_coalesce_status_coalesce1_coale_idx" ON "public"."screenshots_default" USING "btree" ("user_id", COALESCE("key_id", '00000000-0000-0000-0000-000000000000'::"uuid"), "status", COALESCE("format", ''::"text"), COALESCE("verdict", ''::"text"), "id") WHERE ("status" <> 'pending'::"text");

CREATE INDEX "screenshots_default_user_id_id_idx" ON "public"."screenshots_default" USING "btree" ("user_id", "id" DESC);

CREATE INDEX "screenshots_default_user_id_id_idx1" ON "public"."screenshots_default" USING "btree" ("user_id", "id") WHERE ("status" = 'pending'::"text");

CREATE INDEX "screenshots_default_user_id_status_coalesce_coalesce1_id_idx" ON "public"."screenshots_default" USING "btree" ("user_id", "status", COALESCE("format", ''::"text"), COALESCE("verdict", ''::"text"), "id") WHERE ("status" <> 'pending'::"text");

CREATE INDEX "sessions_expires_at" ON "public"."sessions" USING "btree" ("expires_at");

CREATE INDEX "sessions_user_id" ON "public"."sessions" USING "btree" ("user_id");

CREATE INDEX "two_factors_secret" ON "public"."two_factors" USING "btree" ("secret");

CREATE UNIQUE INDEX "two_factors_user_id" ON "public"."two_factors" USING "btree" ("user_id");

CREATE INDEX "users_deleted_at" ON "public"."users" USING "btree" ("deleted_at") WHERE ("deleted_at" IS NOT NULL);

CREATE INDEX "users_newest" ON "public"."users" USING "btree" ("created_at" DESC, "id" DESC);

CREATE INDEX "verifications_identifier" ON "public"."verifications" USING "btree" ("identifier");

CREATE UNIQUE INDEX "watch_muted_boxes" ON "public"."watch_muted" USING "btree" ("watch_id", "box") WHERE ("box" IS NOT NULL);

CREATE UNIQUE INDEX "watch_muted_selectors" ON "public"."watch_muted" USING "btree" ("watch_id", "selector") WHERE ("selector" IS NOT NULL);

CREATE INDEX "watch_runs_created_at" ON "public"."watch_runs" USING "btree" ("created_at");

CREATE INDEX "watch_runs_of_watch" ON "public"."watch_runs" USING "btree" ("watch_id", "id" DESC);

CREATE UNIQUE INDEX "watch_runs_open" ON "public"."watch_runs" USING "btree" ("watch_id") WHERE ("status" = ANY (ARRAY['queued'::"text", 'running'::"text"]));

CREATE INDEX "watch_runs_queued" ON "public"."watch_runs" USING "btree" ("id") WHERE ("status" = 'queued'::"text");

CREATE INDEX "watches_due" ON "public"."watches" USING "btree" ("next_run_at") WHERE ("next_run_at" IS NOT NULL);

CREATE UNIQUE INDEX "watches_idempotency" ON "public"."watches" USING "btree" ("user_id", "idempotency_key") WHERE ("idempotency_key" IS NOT NULL);

CREATE INDEX "watches_of_user" ON "public"."watches" USING "btree" ("user_id", "id" DESC);

CREATE INDEX "webhook_deliveries_created_at" ON "public"."webhook_deliveries" USING "btree" ("created_at");

CREATE UNIQUE INDEX "webhook_deliveries_next_try" ON "public"."webhook_deliveries" USING "btree" ("next_try_id") WHERE ("next_try_id" IS NOT NULL);

CREATE INDEX "webhook_deliveries_of_user" ON "public"."webhook_deliveries" USING "btree" ("user_id", "created_at" DESC, "id" DESC);

CREATE INDEX "webhook_deliveries_pending" ON "public"."webhook_deliveries" USING "btree" ("user_id") WHERE ("state" = 'pending'::"text");

CREATE INDEX "webhook_secrets_of_user" ON "public"."webhook_secrets" USING "btree" ("user_id");

CREATE UNIQUE INDEX "webhook_secrets_present" ON "public"."webhook_secrets" USING "btree" ("user_id") WHERE ("expires_at" IS NULL);

ALTER INDEX "jobs"."job_pkey" ATTACH PARTITION "jobs"."job_common_pkey";

ALTER INDEX "jobs"."queue_stats_i1" ATTACH PARTITION "jobs"."queue_stats_20261125_name_captured_on_deferred_count_queued_idx";

ALTER INDEX "jobs"."queue_stats_pkey" ATTACH PARTITION "jobs"."queue_stats_20261125_pkey";

ALTER INDEX "jobs"."queue_stats_i1" ATTACH PARTITION "jobs"."queue_stats_20261126_name_captured_on_deferred_count_queued_idx";

ALTER INDEX "jobs"."queue_stats_pkey" ATTACH PARTITION "jobs"."queue_stats_20261126_pkey";

ALTER INDEX "public"."screenshots_capture" ATTACH PARTITION "public"."screenshots_2026_11_capture_id_idx";

ALTER INDEX "public"."screenshots_recent_failures" ATTACH PARTITION "public"."screenshots_2026_11_created_at_error_idx";

ALTER INDEX "public"."screenshots_expiry" ATTACH PARTITION "public"."screenshots_2026_11_expires_at_idx";

ALTER INDEX "public"."screenshots_kept" ATTACH PARTITION "public"."screenshots_2026_11_id_idx";

ALTER INDEX "public"."screenshots_lease" ATTACH PARTITION "public"."screenshots_2026_11_lease_until_idx";

ALTER INDEX "public"."screenshots_pkey" ATTACH PARTITION "public"."screenshots_2026_11_pkey";

ALTER INDEX "public"."screenshots_kinds_of_key" ATTACH PARTITION "public"."screenshots_2026_11_user_id_coalesce_status_coalesce1_coale_idx";

ALTER INDEX "public"."screenshots_history" ATTACH PARTITION "public"."screenshots_2026_11_user_id_id_idx";

ALTER INDEX "public"."screenshots_pending" ATTACH PARTITION "public"."screenshots_2026_11_user_id_id_idx1";

ALTER INDEX "public"."screenshots_kinds" ATTACH PARTITION "public"."screenshots_2026_11_user_id_status_coalesce_coalesce1_id_idx";

ALTER INDEX "public"."screenshots_capture" ATTACH PARTITION "public"."screenshots_2026_12_capture_id_idx";

ALTER INDEX "public"."screenshots_recent_failures" ATTACH PARTITION "public"."screenshots_2026_12_created_at_error_idx";

ALTER INDEX "public"."screenshots_expiry" ATTACH PARTITION "public"."screenshots_2026_12_expires_at_idx";

ALTER INDEX "public"."screenshots_kept" ATTACH PARTITION "public"."screenshots_2026_12_id_idx";

ALTER INDEX "public"."screenshots_lease" ATTACH PARTITION "public"."screenshots_2026_12_lease_until_idx";

ALTER INDEX "public"."screenshots_pkey" ATTACH PARTITION "public"."screenshots_2026_12_pkey";

ALTER INDEX "public"."screenshots_kinds_of_key" ATTACH PARTITION "public"."screenshots_2026_12_user_id_coalesce_status_coalesce1_coale_idx";

ALTER INDEX "public"."screenshots_history" ATTACH PARTITION "public"."screenshots_2026_12_user_id_id_idx";

ALTER INDEX "public"."screenshots_pending" ATTACH PARTITION "public"."screenshots_2026_12_user_id_id_idx1";

ALTER INDEX "public"."screenshots_kinds" ATTACH PARTITION "public"."screenshots_2026_12_user_id_status_coalesce_coalesce1_id_idx";

ALTER INDEX "public"."screenshots_capture" ATTACH PARTITION "public"."screenshots_2027_01_capture_id_idx";

ALTER INDEX "public"."screenshots_recent_failures" ATTACH PARTITION "public"."screenshots_2027_01_created_at_error_idx";

ALTER INDEX "public"."screenshots_expiry" ATTACH PARTITION "public"."screenshots_2027_01_expires_at_idx";

ALTER INDEX "public"."screenshots_kept" ATTACH PARTITION "public"."screenshots_2027_01_id_idx";

ALTER INDEX "public"."screenshots_lease" ATTACH PARTITION "public"."screenshots_2027_01_lease_until_idx";

ALTER INDEX "public"."screenshots_pkey" ATTACH PARTITION "public"."screenshots_2027_01_pkey";

ALTER INDEX "public"."screenshots_kinds_of_key" ATTACH PARTITION "public"."screenshots_2027_01_user_id_coalesce_status_coalesce1_coale_idx";

ALTER INDEX "public"."screenshots_history" ATTACH PARTITION "public"."screenshots_2027_01_user_id_id_idx";

ALTER INDEX "public"."screenshots_pending" ATTACH PARTITION "public"."screenshots_2027_01_user_id_id_idx1";

ALTER INDEX "public"."screenshots_kinds" ATTACH PARTITION "public"."screenshots_2027_01_user_id_status_coalesce_coalesce1_id_idx";

ALTER INDEX "public"."screenshots_capture" ATTACH PARTITION "public"."screenshots_2027_02_capture_id_idx";

ALTER INDEX "public"."screenshots_recent_failures" ATTACH PARTITION "public"."screenshots_2027_02_created_at_error_idx";

ALTER INDEX "public"."screenshots_expiry" ATTACH PARTITION "public"."screenshots_2027_02_expires_at_idx";

ALTER INDEX "public"."screenshots_kept" ATTACH PARTITION "public"."screenshots_2027_02_id_idx";

ALTER INDEX "public"."screenshots_lease" ATTACH PARTITION "public"."screenshots_2027_02_lease_until_idx";

ALTER INDEX "public"."screenshots_pkey" ATTACH PARTITION "public"."screenshots_2027_02_pkey";

ALTER INDEX "public"."screenshots_kinds_of_key" ATTACH PARTITION "public"."screenshots_2027_02_user_id_coalesce_status_coalesce1_coale_idx";

ALTER INDEX "public"."screenshots_history" ATTACH PARTITION "public"."screenshots_2027_02_user_id_id_idx";

ALTER INDEX "public"."screenshots_pending" ATTACH PARTITION "public"."screenshots_2027_02_user_id_id_idx1";

ALTER INDEX "public"."screenshots_kinds" ATTACH PARTITION "public"."screenshots_2027_02_user_id_status_coalesce_coalesce1_id_idx";

ALTER INDEX "public"."screenshots_capture" ATTACH PARTITION "public"."screenshots_default_capture_id_idx";

ALTER INDEX "public"."screenshots_recent_failures" ATTACH PARTITION "public"."screenshots_default_created_at_error_idx";

ALTER INDEX "public"."screenshots_expiry" ATTACH PARTITION "public"."screenshots_default_expires_at_idx";

ALTER INDEX "public"."screenshots_kept" ATTACH PARTITION "public"."screenshots_default_id_idx";

ALTER INDEX "public"."screenshots_lease" ATTACH PARTITION "public"."screenshots_default_lease_until_idx";

ALTER INDEX "public"."screenshots_pkey" ATTACH PARTITION "public"."screenshots_default_pkey";

ALTER INDEX "public"."screenshots_kinds_of_key" ATTACH PARTITION "public"."screenshots_default_user_id_coalesce_status_coalesce1_coale_idx";

ALTER INDEX "public"."screenshots_history" ATTACH PARTITION "public"."screenshots_default_user_id_id_idx";

ALTER INDEX "public"."screenshots_pending" ATTACH PARTITION "public"."screenshots_default_user_id_id_idx1";

ALTER INDEX "public"."screenshots_kinds" ATTACH PARTITION "public"."screenshots_default_user_id_status_coalesce_coalesce1_id_idx";

CREATE TRIGGER "api_keys_changed" AFTER INSERT OR DELETE OR UPDATE OF "hash", "allowed_domains", "allowed_targets", "allow_missing_origin", "require_signature", "enabled", "expires_at", "revoked_at" ON "public"."api_keys" FOR EACH ROW EXECUTE FUNCTION "public"."notify_account"();

CREATE TRIGGER "plans_changed" AFTER INSERT OR DELETE OR UPDATE ON "public"."plans" FOR EACH STATEMENT EXECUTE FUNCTION "public"."notify_account"();

CREATE TRIGGER "plans_product_changed" AFTER UPDATE OF "billing_product_id" ON "public"."plans" FOR EACH STATEMENT EXECUTE FUNCTION "public"."recheck_billing"();

CREATE TRIGGER "subscriptions_changed" AFTER INSERT OR DELETE OR UPDATE ON "public"."subscriptions" FOR EACH ROW EXECUTE FUNCTION "public"."notify_account"();

CREATE TRIGGER "users_disabled" AFTER UPDATE OF "disabled_at" ON "public"."users" FOR EACH ROW WHEN (("old"."disabled_at" IS DISTINCT FROM "new"."disabled_at")) EXECUTE FUNCTION "public"."notify_user"();

CREATE TRIGGER "users_invited" AFTER INSERT ON "public"."users" FOR EACH ROW WHEN (("new"."invitation_id" IS NOT NULL)) EXECUTE FUNCTION "public"."claim_invitation"();

ALTER TABLE ONLY "jobs"."job_common"
    ADD CONSTRAINT "dlq_fkey" FOREIGN KEY ("dead_letter") REFERENCES "jobs"."queue"("name") ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY "jobs"."job_common"
    ADD CONSTRAINT "q_fkey" FOREIGN KEY ("name") REFERENCES "jobs"."queue"("name") ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY "jobs"."queue"
    ADD CONSTRAINT "queue_dead_letter_fkey" FOREIGN KEY ("dead_letter") REFERENCES "jobs"."queue"("name");

ALTER TABLE ONLY "jobs"."schedule"
    ADD CONSTRAINT "schedule_name_fkey" FOREIGN KEY ("name") REFERENCES "jobs"."queue"("name") ON DELETE CASCADE;

ALTER TABLE ONLY "jobs"."subscription"
    ADD CONSTRAINT "subscription_name_fkey" FOREIGN KEY ("name") REFERENCES "jobs"."queue"("name") ON DELETE CASCADE;

ALTER TABLE ONLY "public"."api_keys"
    ADD CONSTRAINT "api_keys_replaced_by_fkey" FOREIGN KEY ("replaced_by") REFERENCES "public"."api_keys"("id") ON DELETE SET NULL;

ALTER TABLE ONLY "public"."api_keys"
    ADD CONSTRAINT "api_keys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE CASCADE;

ALTER TABLE ONLY "public"."batches"
    ADD CONSTRAINT "batches_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE CASCADE;

ALTER TABLE ONLY "public"."billing_customers"
    ADD CONSTRAINT "billing_customers_plan_id_fkey" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("id") ON DELETE SET NULL;

ALTER TABLE ONLY "public"."billing_customers"
    ADD CONSTRAINT "billing_customers_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE CASCADE;

ALTER TABLE ONLY "public"."browser_sessions"
    ADD CONSTRAINT "browser_sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE CASCADE;

ALTER TABLE ONLY "public"."captures"
    ADD CONSTRAINT "captures_batch_id_fkey" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("id") ON DELETE CASCADE;

ALTER TABLE ONLY "public"."captures"
    ADD CONSTRAINT "captures_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE CASCADE;

ALTER TABLE ONLY "public"."identities"
    ADD CONSTRAINT "identities_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE CASCADE;

ALTER TABLE ONLY "public"."invitations"
    ADD CONSTRAINT "invitations_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE SET NULL;

ALTER TABLE ONLY "public"."invitations"
    ADD CONSTRAINT "invitations_plan_id_fkey" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("id");

ALTER TABLE ONLY "public"."notices"
    ADD CONSTRAINT "notices_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE CASCADE;

ALTER TABLE ONLY "public"."passkeys"
    ADD CONSTRAINT "passkeys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE CASCADE;

ALTER TABLE "public"."screenshots"
    ADD CONSTRAINT "screenshots_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE CASCADE;

ALTER TABLE ONLY "public"."sessions"
    ADD CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE CASCADE;

ALTER TABLE ONLY "public"."subscriptions"
    ADD CONSTRAINT "subscriptions_plan_id_fkey" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("id");

ALTER TABLE ONLY "public"."subscriptions"
    ADD CONSTRAINT "subscriptions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE CASCADE;

ALTER TABLE ONLY "public"."two_factors"
    ADD CONSTRAINT "two_factors_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE CASCADE;

ALTER TABLE ONLY "public"."usage_days"
    ADD CONSTRAINT "usage_days_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE CASCADE;

ALTER TABLE ONLY "public"."usage_periods"
    ADD CONSTRAINT "usage_periods_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE CASCADE;

ALTER TABLE ONLY "public"."users"
    ADD CONSTRAINT "users_invitation_id_fkey" FOREIGN KEY ("invitation_id") REFERENCES "public"."invitations"("id") ON DELETE SET NULL;

ALTER TABLE ONLY "public"."watch_muted"
    ADD CONSTRAINT "watch_muted_watch_id_fkey" FOREIGN KEY ("watch_id") REFERENCES "public"."watches"("id") ON DELETE CASCADE;

ALTER TABLE ONLY "public"."watch_runs"
    ADD CONSTRAINT "watch_runs_watch_id_fkey" FOREIGN KEY ("watch_id") REFERENCES "public"."watches"("id") ON DELETE CASCADE;

ALTER TABLE ONLY "public"."watches"
    ADD CONSTRAINT "watches_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE CASCADE;

ALTER TABLE ONLY "public"."webhook_addresses"
    ADD CONSTRAINT "webhook_addresses_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE CASCADE;

ALTER TABLE ONLY "public"."webhook_deliveries"
    ADD CONSTRAINT "webhook_deliveries_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE CASCADE;

ALTER TABLE ONLY "public"."webhook_secrets"
    ADD CONSTRAINT "webhook_secrets_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE CASCADE;

ALTER TABLE ONLY "public"."webhook_tries"
    ADD CONSTRAINT "webhook_tries_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "public"."webhook_deliveries"("id") ON DELETE CASCADE;

