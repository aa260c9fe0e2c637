/** The history's filters: exact in every combination, and reading a bounded number of rows. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { v7 } from "uuid";
import { listScreenshots, neighbors } from "../../../src/accounts/history/history.ts";
import { countScreenshots, type HistoryFilter } from "../../../src/accounts/history/search.ts";
import type { Database } from "../../../src/database/database.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { fileScope } from "../../support/scope.ts";
import { createAccount } from "../accounts.ts";
import { addScreenshots } from "./many-screenshots.ts";

interface Row {
  id: string;
  status: "pending" | "done" | "failed";
  keyId: string | null;
  url: string;
  title: string | null;
  format: string | null;
  verdict: string | null;
  day: string;
  isExpired: boolean;
}

const days = ["2026-01-31", "2026-02-01", "2026-02-28"];
const one = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)] as T;

const scope = fileScope();
let database: TestDatabase;
let userId: string;
let rows: Row[];
let keys: (string | null)[];

before(async () => {
  database = await createTestDatabase(scope);
  userId = (await createAccount(database)).userId;
  const other = (await createAccount(database)).userId;
  keys = [crypto.randomUUID(), crypto.randomUUID(), null];
  rows = Array.from({ length: 300 }, () => randomRow());
  for (const [owner, some] of [
    [userId, rows],
    [other, Array.from({ length: 50 }, () => randomRow())],
  ] as const)
    await insert(database, owner, some);
  rows.sort((a, b) => b.id.localeCompare(a.id));
});

function randomRow(): Row {
  const status = one(["pending", "done", "done", "done", "failed"] as const);
  const day = one(days);
  const made = status === "done";
  return {
    id: v7({ msecs: Date.parse(day) + Math.floor(Math.random() * 86_400_000) }),
    status,
    keyId: one(keys),
    url: `https://${one(["A.example.com", "b.example.com", "example.org"])}/${one(["", "100%", "a_b"])}`,
    title: made ? one(["Example.com at a glance", "100% wool", null]) : null,
    format: made ? one(["png", "jpeg", "pdf"]) : null,
    verdict: made ? one(["ok", "ok", "blank", "error_page"]) : null,
    day,
    isExpired: Math.random() < 0.1,
  };
}

async function insert(into: Database, owner: string, some: Row[]): Promise<void> {
  await into.query(
    `insert into screenshots (id, user_id, key_id, period_start, status, url, title, options, cache_key, format, verdict, lease_until, expires_at, created_at)
     select (r->>'id')::uuid, $1, (r->>'keyId')::uuid, now(), r->>'status', r->>'url', r->>'title', '{}', '', r->>'format', r->>'verdict',
            case when r->>'status' = 'pending' then now() end,
            now() + case when (r->>'isExpired')::boolean then interval '-1 day' else interval '1 day' end,
            to_timestamp(('x' || left(replace(r->>'id', '-', ''), 12))::bit(48)::bigint / 1000.0)
       from jsonb_array_elements($2::jsonb) r`,
    [owner, JSON.stringify(some)],
  );
}

function matches(row: Row, { status, keyId, url, text, format, verdict, since, until }: HistoryFilter): boolean {
  return (
    !row.isExpired &&
    (status === undefined || row.status === status) &&
    (keyId === undefined || row.keyId === keyId) &&
    (url === undefined || row.url.toLowerCase().includes(url.toLowerCase())) &&
    (text === undefined || [row.url, row.title].some((one) => one?.toLowerCase().includes(text.toLowerCase()))) &&
    (format === undefined || row.format === format) &&
    (verdict === undefined || row.verdict === verdict) &&
    (since === undefined || row.day >= since) &&
    (until === undefined || row.day <= until)
  );
}

const randomFilter = (): HistoryFilter => ({
  status: one([undefined, undefined, "pending", "done", "failed"] as const),
  keyId: one([undefined, undefined, ...keys]),
  url: one([undefined, undefined, "EXAMPLE.com", "%", "_", "nowhere"]),
  text: one([undefined, undefined, undefined, "EXAMPLE.com", "%", "wool"]),
  format: one([undefined, undefined, "png", "jpeg", "webp"]),
  verdict: one([undefined, undefined, "ok", "blank", "parked"]),
  since: one([undefined, undefined, ...days]),
  until: one([undefined, undefined, ...days]),
});

test("for every combination of filters, list, count and neighbors contain exactly the matches", async () => {
  for (let turn = 0; turn < 150; turn += 1) {
    const filter = randomFilter();
    const expected = rows.filter((row) => matches(row, filter)).map(({ id }) => id);
    const found: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await listScreenshots(database, userId, { ...filter, before: cursor ?? undefined, limit: 40 });
      assert.equal(page.searchedTo, null);
      found.push(...page.screenshots.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== null);
    const of = JSON.stringify(filter);
    assert.deepEqual(found, expected, of);
    assert.deepEqual(await countScreenshots(database, userId, filter), { count: expected.length, isComplete: true }, of);
    const { id } = one(rows);
    const newer = expected.findLast((other) => other > id) ?? null;
    const older = expected.find((other) => other < id) ?? null;
    assert.deepEqual(await neighbors(database, userId, id, filter), { newer, older }, of);
  }
});

test("text that occurs only in the oldest of many rows is found by following the cursor, any other text in one request", async (t) => {
  const own = await createTestDatabase(t);
  const { userId: id } = await createAccount(own);
  await addScreenshots(own, { userId: id, count: 12_000 });
  const pages = [];
  let cursor: string | null | undefined;
  do {
    const page = await listScreenshots(own, id, { url: "the-oldest", limit: 10, before: cursor ?? undefined });
    pages.push(page);
    cursor = page.next;
  } while (cursor !== null);
  assert.ok(pages.length > 2);
  const found = pages.flatMap(({ screenshots }) => screenshots.map(({ url }) => url));
  assert.deepEqual(found, ["https://the-oldest.example.com/1"]);
  const continued = pages.map(({ searchedTo }) => searchedTo !== null);
  assert.deepEqual(continued, [...Array.from({ length: pages.length - 1 }, () => true), false]);
  const times = pages.map(({ searchedTo }) => searchedTo?.getTime() ?? 0);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
  );
  assert.deepEqual(await countScreenshots(own, id, { url: "the-oldest" }), { count: 0, isComplete: false });
  assert.deepEqual(await countScreenshots(own, id, {}), { count: 1_000, isComplete: false });
  for (const filter of [
    { format: "pdf" },
    { verdict: "parked" },
    { format: "pdf", verdict: "parked", status: "done" },
    { url: "the-oldest", format: "pdf" },
  ] as const) {
    const { screenshots, next } = await listScreenshots(own, id, { ...filter, limit: 10 });
    assert.deepEqual([screenshots.map(({ url }) => url), next], [["https://the-oldest.example.com/1"], null], JSON.stringify(filter));
  }
});
