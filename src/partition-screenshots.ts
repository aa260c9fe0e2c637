/** Makes `screenshots` a table of partitions by month, while captures go on: what is there becomes its first partition. */

import pg from "pg";
import type { BaseLogger } from "pino";
import { partitionObstacles } from "./partition-obstacles.ts";
import { inShortLocks, type Query } from "./short-locks.ts";

/** @returns whether the table has partitions. */
export async function isPartitioned(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query("select from pg_class where oid = 'screenshots'::regclass and relkind = 'p'");
  return rowCount === 1;
}

/**
 * Can be repeated if it fails halfway. No lock that captures wait for is held or waited for longer than half a second.
 * @param client whose first schema is that of `screenshots`.
 * @throws PostgreSQL's errors, also when other transactions keep the table locked for minutes.
 * @throws {Error} that names what depends on the table and would be lost, or an id that would make its first partition last for years.
 */
export async function partitionScreenshots(client: pg.Client, log: BaseLogger): Promise<void> {
  if (await isPartitioned(client)) return;
  const obstacles = await partitionObstacles(client);
  if (obstacles.length > 0)
    throw new Error(
      `screenshots can't be partitioned while these depend on it: ${obstacles.join(", ")}; drop them, and create them again after`,
    );
  const started = Date.now();
  const end = await boundIds(client);
  await inShortLocks(client, (query) => exchange(query, end, log));
  await client.query("analyze screenshots");
  log.info({ ms: Date.now() - started, end: end.ends }, "screenshots are partitioned by month");
}

/** Of an unfinished change; see `freeIds`. */
export const constraintName = "screenshots_first_month";

/** In SQL: when the UUIDv7 `id` was made. */
export const momentOfId = "to_timestamp(('x' || lpad(left(replace(id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint / 1000.0)";

/** Where the first partition ends: a moment, and the first id of it. */
interface End {
  ends: Date;
  id: string;
}

/**
 * The beginning of a month at least 28 days after the database's time and the newest id: the partition must not end while it is being made, and
 * the processes that make ids may have other clocks.
 */
const endOfFirst = `
  with newest as (select ${momentOfId} as at from screenshots order by id desc limit 1),
       least as (select greatest(now(), (select at from newest)) at time zone 'UTC' + interval '28 days' as at),
       first as (select (date_trunc('month', at) + interval '1 month') at time zone 'UTC' as ends from least)
  select ends, screenshot_id_at(ends) as id, ends > now() + interval '14 months' as "isFar",
         (select id from screenshots order by id desc limit 1) as newest from first`;

/** A constraint that says what ids the first partition has, checked without a lock. */
async function boundIds(client: pg.Client): Promise<End> {
  const { rows } = await client.query<End & { isFar: boolean; newest: string }>(endOfFirst);
  const end = rows[0] as (typeof rows)[0];
  if (end.isFar)
    throw new Error(
      `screenshots can't be partitioned: the record ${end.newest} was made by a process whose clock was more than a year ahead; delete it`,
    );
  await inShortLocks(client, async (query) => {
    await query(`alter table screenshots drop constraint if exists ${constraintName}`);
    await query(`alter table screenshots add constraint ${constraintName} check (id < '${end.id}') not valid`);
  });
  await client.query(`alter table screenshots validate constraint ${constraintName}`);
  return end;
}

/** Of the table: names and definitions. An unfinished one stays as it is, as does one that a partitioned table can't have. */
const indexesOfTable = `
  select c.relname as name, pg_get_indexdef(i.indexrelid) as definition, i.indisprimary as primary,
         case when octet_length(c.relname) <= 57 then c.relname || '_first' else 'screenshots_first_' || md5(c.relname) end as renamed,
         not i.indisexclusion and (not i.indisunique or a.attnum = any((i.indkey::int2[])[0:i.indnkeyatts - 1])) as possible
    from pg_index i join pg_class c on c.oid = i.indexrelid join pg_attribute a on a.attrelid = i.indrelid and a.attname = 'id'
   where i.indrelid = 'screenshots'::regclass and i.indisvalid order by 1`;

/** Owner and privileges of the table and its columns, as statements. */
const privilegesOfTable = `
  select format('alter table %s owner to %s', t, relowner::regrole) as statement
    from pg_class cross join unnest(array['screenshots', 'screenshots_default']) t
   where oid = 'screenshots'::regclass and pg_get_userbyid(relowner) <> current_user
  union all
  select format('grant %s%s on screenshots to %s%s', g.privilege_type, ' (' || quote_ident(a.name) || ')',
                case when g.grantee = 0 then 'public' else g.grantee::regrole::text end, case when g.is_grantable then ' with grant option' end)
    from pg_class c
   cross join lateral (select null as name, c.relacl as acl
                        union all select attname, attacl from pg_attribute where attrelid = c.oid and not attisdropped) a
   cross join lateral aclexplode(a.acl) g
   where c.oid = 'screenshots'::regclass and g.grantee <> c.relowner`;

async function exchange(query: Query, { ends, id }: End, log: BaseLogger): Promise<void> {
  await query("lock table users in share row exclusive mode"); // for the foreign key, before captures wait for anything
  await query("lock table screenshots in access exclusive mode");
  const { rows: indexes } = await query(indexesOfTable);
  const { rows: privileges } = await query(privilegesOfTable);
  await query("alter table screenshots rename to screenshots_first");
  for (const { name, renamed, possible } of indexes)
    if (possible) await query(`alter index ${pg.escapeIdentifier(name)} rename to ${pg.escapeIdentifier(renamed)}`);
  await query(
    "create table screenshots (like screenshots_first including all excluding indexes excluding identity) partition by range (id)",
  );
  await query(`alter table screenshots drop constraint ${constraintName}, add primary key (id)`);
  await query("alter table screenshots add constraint screenshots_user_id_fkey foreign key (user_id) references users on delete cascade");
  for (const { name, definition, primary, possible } of indexes) {
    if (!possible) log.warn({ index: name }, "this unique index remains on the first partition only: a partitioned table can't have it");
    else if (!primary) await query(definition);
  }
  await query("create table screenshots_default partition of screenshots default");
  await query(`alter table screenshots attach partition screenshots_first for values from (minvalue) to ('${id}')`);
  await query(`alter table screenshots_first drop constraint ${constraintName}`);
  for (const { statement } of privileges) await query(statement);
  await query("insert into screenshot_months (name, ends_at) values ('screenshots_first', $1)", [ends]);
}
