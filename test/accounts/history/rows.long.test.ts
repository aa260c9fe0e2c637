/**
 * The history's filters on ten million rows: each reads a bounded number of pages, on the first page of results and far down, alone and
 * combined. Prints how long they take. `HISTORY_ROWS` sets the number of rows.
 */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import pg from "pg";
import { listScreenshots, neighbors } from "../../../src/accounts/history/history.ts";
import { firstIdAt } from "../../../src/accounts/history/id-time.ts";
import { countScreenshots, type HistoryFilter } from "../../../src/accounts/history/search.ts";
import type { Database } from "../../../src/database/database.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { fileScope } from "../../support/scope.ts";
import { createAccount } from "../accounts.ts";
import { explained } from "../usage/explained.ts";
import { addScreenshots } from "./many-screenshots.ts";

const count = Number(process.env.HISTORY_ROWS ?? 10_000_000);
const since = new Date("2026-01-01T00:00:00Z");
const everyMs = Math.floor((300 * 86_400_000) / count);
const timeout = 3_600_000;

/** In the worst case, each row of a small account is on a separate page, so the bound on pages is the number of rows read. */
const pagesMax = { list: 2_000, text: 12_000, count: 2_000, near: 2_000, nearText: 24_000 };

const scope = fileScope();
let database: TestDatabase;
const keys = [crypto.randomUUID(), crypto.randomUUID()] as const;
const accounts = { large: "", spread: "", few: "" };

before(
  async () => {
    database = await createTestDatabase(scope);
    for (const name of ["large", "spread", "few"] as const) accounts[name] = (await createAccount(database)).userId;
    const client = new pg.Client(database.settings);
    await client.connect();
    await partitionByMonth(client);
    const { rows } = await client.query(
      "select replace(indexdef, ' ON ONLY ', ' ON ') as text from pg_indexes where tablename = 'screenshots' and indexname not like '%pkey'",
    );
    await client.query(`do $$ declare one record; begin
      for one in select indexname from pg_indexes where tablename = 'screenshots' and indexname not like '%pkey' loop
        execute format('drop index %I', one.indexname);
      end loop; end $$`);
    await addScreenshots(client, {
      userId: accounts.large,
      count,
      since,
      everyMs,
      keyIds: [...keys],
      others: [accounts.spread, accounts.few],
    });
    for (const { text } of rows) await client.query(text);
    await client.query("vacuum analyze screenshots");
    await client.end();
  },
  { timeout },
);

/** A partition for each month of one year. */
async function partitionByMonth(client: pg.Client): Promise<void> {
  const { rows: made } = await client.query("delete from screenshot_months returning name");
  for (const { name } of made) await client.query(`drop table ${name}`);
  for (let month = 0; month <= 12; month += 1) {
    const { rows } = await client.query(
      `select screenshot_id_at($1::timestamptz + $2 * interval '1 month') as start, screenshot_id_at($1::timestamptz + ($2 + 1) * interval '1 month') as "end"`,
      [since, month],
    );
    await client.query(
      `create table screenshots_${month} partition of screenshots for values from ('${rows[0].start}') to ('${rows[0].end}')`,
    );
  }
}

/** For each filter, one value that many rows have, and one that only the oldest or none has. */
const filters: HistoryFilter[] = [
  {},
  ...(["done", "failed", "pending"] as const).map((status) => ({ status })),
  ...["ok", "error_page", "parked", "blank"].map((verdict) => ({ verdict })),
  ...["png", "jpeg", "pdf", "mhtml"].map((format) => ({ format })),
  ...[...keys, null].map((keyId) => ({ keyId })),
  ...["example", "the-oldest", "nowhere", "shop-77."].map((url) => ({ url })),
  ...[{ since: "2026-05-01" }, { until: "2026-01-01" }, { since: "2026-05-01", until: "2026-05-01" }, { until: "2025-12-31" }],
];
const combined: HistoryFilter[] = filters.flatMap((one, index) => filters.slice(index + 1).map((other) => ({ ...one, ...other })));

for (const [name, before] of [
  ["the first page of results", undefined],
  ["a page in the middle", firstIdAt(since.getTime() + 100 * 86_400_000)],
] as const)
  test(`every filter reads a bounded number of pages: ${name}`, { timeout }, async () => {
    for (const [account, userId] of Object.entries(accounts)) {
      const times: { ms: number; of: string }[] = [];
      for (const filter of [...filters, ...combined]) {
        const isText = filter.url !== undefined;
        const cost = async (max: number, what: string, run: (of: Database) => Promise<unknown>) => {
          const { database: measured, costs } = explained(database);
          await run(measured);
          const pages = costs.reduce((sum, one) => sum + one.pages, 0);
          times.push({ ms: costs.reduce((sum, one) => sum + one.ms, 0), of: `${what} ${JSON.stringify(filter)}` });
          assert.ok(pages <= max, `${account}: ${what} ${JSON.stringify(filter)} reads ${pages} pages`);
        };
        await cost(isText ? pagesMax.text : pagesMax.list, "list", (of) => listScreenshots(of, userId, { ...filter, before, limit: 24 }));
        await cost(isText ? pagesMax.nearText : pagesMax.near, "near", (of) =>
          neighbors(of, userId, before ?? firstIdAt(Date.now()), filter),
        );
        if (!before) await cost(pagesMax.count, "count", (of) => countScreenshots(of, userId, filter));
      }
      times.sort((a, b) => a.ms - b.ms);
      const at = (share: number) => times[Math.floor((times.length - 1) * share)];
      console.log(
        `${name}, ${account}: ${times.length} statements, median ${at(0.5)?.ms.toFixed(1)} ms, 99 % ${at(0.99)?.ms.toFixed(1)} ms, slowest:`,
      );
      for (const { ms, of } of times.slice(-3)) console.log(`  ${ms.toFixed(1)} ms ${of}`);
    }
  });
