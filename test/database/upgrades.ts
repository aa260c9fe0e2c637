/** Database dumps of released versions, for upgrade tests. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import type { DatabaseSettings } from "../../src/database/database.ts";

const folder = new URL("./dumps/", import.meta.url).pathname;

export interface Dump {
  version: string;
  sql: string;
  authSecret: string;
  /** An API key in the dump. */
  key: string;
}

export async function dumps(): Promise<Dump[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  return await Promise.all(
    files.map(async (file) => {
      const sql = await readFile(join(folder, file), "utf8");
      const told = (name: string) => new RegExp(`^-- ${name}: (\\S+)$`, "m").exec(sql)?.[1] ?? "";
      return { version: file.replace(/\.sql$/, ""), sql, authSecret: told("AUTH_SECRET"), key: told("key") };
    }),
  );
}

/**
 * Restores a dump into an empty database, on a separate connection, because the dump changes its settings. Its screenshots expire a day
 * from now, whenever they were captured.
 */
export async function restore(settings: DatabaseSettings, { sql }: Dump): Promise<void> {
  const client = new pg.Client(settings);
  await client.connect();
  try {
    await client.query(sql);
    await client.query("update public.screenshots set expires_at = now() + interval '1 day'");
  } finally {
    await client.end();
  }
}

interface Queries {
  query(statement: string): Promise<{ rows: unknown[] }>;
}

/** Everything that the migrations define, as text, without monthly partitions of screenshots, which depend on the date. */
export async function schemaOf({ query }: Queries): Promise<string[]> {
  const { rows } = await query(`
    with tables as (select c.oid, c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and c.relname !~ '^screenshots_\\d')
    select concat_ws(' ', 'column', relname, attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid)) as line
      from tables join pg_attribute a on attrelid = tables.oid and attnum > 0 and not attisdropped
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
    union all select concat_ws(' ', 'constraint', relname, conname, pg_get_constraintdef(c.oid)) from tables join pg_constraint c on conrelid = tables.oid
    union all select concat_ws(' ', 'index', pg_get_indexdef(indexrelid)) from tables join pg_index on indrelid = tables.oid
    union all select concat_ws(' ', 'trigger', pg_get_triggerdef(t.oid)) from tables join pg_trigger t on tgrelid = tables.oid and not tgisinternal
    union all select concat_ws(' ', 'function', pg_get_functiondef(oid)) from pg_proc where pronamespace = 'public'::regnamespace
    order by line`);
  return (rows as { line: string }[]).map(({ line }) => line);
}

/** The number of rows in each table, by name; monthly partitions count towards their table. */
export async function rowsOf({ query }: Queries): Promise<Record<string, number>> {
  const { rows } = await query(
    "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1",
  );
  const names = (rows as { relname: string }[]).map(({ relname }) => relname).filter((name) => !/^screenshots_/.test(name));
  const counts = names.map((name) => `select '${name}' as name, count(*)::integer from ${name}`).join(" union all ");
  const counted = (await query(counts)).rows as { name: string; count: number }[];
  return Object.fromEntries(counted.map(({ name, count }) => [name, count]));
}
