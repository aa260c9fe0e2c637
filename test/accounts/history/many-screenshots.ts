/** Generates many screenshot records in the database. */

import type { Statement } from "../../../src/database/database.ts";

interface Many {
  userId: string;
  count: number;
  /** Creation time of the oldest one. */
  since?: Date;
  /** Time between one record and the next. */
  everyMs?: number;
  /** Two API keys: 9 of 10 records have the first; the others and the oldest have the second. null stands for the playground. */
  keyIds?: [string | null, string | null];
  retentionDays?: number;
  /** Accounts that get every 100th and every 50,000th record instead. */
  others?: [string, string];
}

/**
 * Adds `count` screenshots, oldest first. Most are done, `ok` and `png`; 2 % have failed, 5 % show error pages, 20 % are `jpeg`. Only
 * the oldest is a `pdf`, `parked`, and on the host `the-oldest.example.com`.
 */
export async function addScreenshots(database: { query(statement: Statement): Promise<unknown> }, of: Many): Promise<void> {
  const { userId, count, everyMs = 1_000, keyIds = [null, null], retentionDays = 400, others = [userId, userId] } = of;
  const since = of.since ?? new Date(Date.now() - count * everyMs);
  await database.query({
    timeoutMs: Number.POSITIVE_INFINITY,
    text: `insert into screenshots (id, user_id, key_id, period_start, status, url, options, cache_key, format, width, height, bytes, duration_ms,
                  object_key, error, verdict, title, expires_at, created_at)
           select id, case when n % 50000 = 7 then $9::uuid when n % 100 = 3 then $8::uuid else $1::uuid end, case when n % 10 = 0 or n = 1 then $6::uuid else $5::uuid end, date_trunc('month', at), status,
                  'https://' || case when n = 1 then 'the-oldest' else 'shop-' || n % 5000 end || '.example.com/' || n,
                  '{"width": 1280, "height": 800, "full_page": true, "wait_until": "auto"}', sha256(n::text::bytea),
                  case when status = 'done' then case when n = 1 then 'pdf' when n % 5 = 0 then 'jpeg' else 'png' end end,
                  1280, 800, 50000, 1200, case when status = 'done' then 'screenshots/' || id end, case when status = 'failed' then 'timeout' end,
                  case when status = 'done' then case when n = 1 then 'parked' when n % 20 = 3 then 'error_page' else 'ok' end end,
                  'Page ' || n, at + $7 * interval '1 day', at
             from generate_series(1, $2::integer) n
            cross join lateral (select $3::timestamptz + n * $4::float8 * interval '1 millisecond' as at, case when n % 50 = 11 then 'failed' else 'done' end as status) t
            cross join lateral (select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || left(md5(n::text), 3) || '8'
                                        || substr(md5(n::text), 4, 15))::uuid as id) made`,
    values: [userId, count, since, everyMs, ...keyIds, retentionDays, ...others],
  });
}

/** Adds a partition for the month before last. @returns its name and its start. */
export async function addPastMonth(database: {
  query(text: string, values?: unknown[]): Promise<{ rows: { start: string; end: string }[] }>;
}): Promise<{ name: string; since: Date }> {
  const now = new Date();
  const [since, until] = [-2, -1].map((months) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months))) as [Date, Date];
  const name = `screenshots_${since.toISOString().slice(0, 7).replace("-", "_")}`;
  const { rows } = await database.query('select screenshot_id_at($1) as start, screenshot_id_at($2) as "end"', [since, until]);
  await database.query(`create table ${name} partition of screenshots for values from ('${rows[0]?.start}') to ('${rows[0]?.end}')`);
  await database.query("insert into screenshot_months values ($1, $2)", [name, until]);
  return { name, since };
}
