/** What an operator has made of `screenshots` that would be lost, or break, when the table becomes a partition of another one. */

import type pg from "pg";

const obstacles = `
  with t as (select oid, reltype from pg_class where oid = 'screenshots'::regclass)
  select kind, name from (
    select 'view' as kind, r.ev_class::regclass::text as name
      from pg_depend d join pg_rewrite r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid join t on d.refobjid = t.oid
     where d.refclassid = 'pg_class'::regclass and r.ev_class <> t.oid
    union select 'rule', quote_ident(rulename) from pg_rewrite join t on ev_class = t.oid
    union select 'trigger', quote_ident(tgname) from pg_trigger join t on tgrelid = t.oid where not tgisinternal
    union select 'policy', quote_ident(polname) from pg_policy join t on polrelid = t.oid
    union select 'row level security', 'of the table' from pg_class c join t using (oid)
     where c.relrowsecurity or c.relforcerowsecurity
    union select 'storage parameter', unnest(c.reloptions) from pg_class c join t using (oid)
    union select 'replica identity', 'of the table' from pg_class c join t using (oid) where c.relreplident <> 'd'
    union select 'function', d.objid::regprocedure::text
      from pg_depend d join t on d.refobjid in (t.oid, t.reltype) where d.classid = 'pg_proc'::regclass
    union select 'foreign key', quote_ident(conname) || ' of ' || conrelid::regclass from pg_constraint join t on confrelid = t.oid
    union select 'foreign key', quote_ident(conname) from pg_constraint join t on conrelid = t.oid
     where contype = 'f' and conname <> 'screenshots_user_id_fkey'
    union select 'table', inhrelid::regclass::text from pg_inherits join t on inhparent = t.oid
    union select 'publication', quote_ident(p.pubname)
      from t join pg_class c on c.oid = t.oid join pg_namespace n on n.oid = c.relnamespace
      join pg_publication_tables p on (p.schemaname, p.tablename) = (n.nspname, c.relname)) o
   order by 1, 2`;

/**
 * Names what depends on `screenshots` and would stay with its first partition, such as `view reports`.
 * @throws PostgreSQL's errors.
 */
export async function partitionObstacles(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ kind: string; name: string }>(obstacles);
  return rows.map(({ kind, name }) => `${kind} ${name}`);
}
