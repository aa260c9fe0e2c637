/**
 * Makes one component fail under load, first slow, then down, then recovered. Checks what callers see in each phase, and that counts
 * stay correct.
 */

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { pino } from "pino";
import { createQuotaSweep } from "../../../src/accounts/usage/sweep.ts";
import type { Gate } from "../../support/gate.ts";
import { hungAfterMs, type Load, type Seen, startLoad, tableOf } from "../../support/load.ts";
import type { Scope } from "../../support/scope.ts";
import { startService, type TestService, type TestTimeouts } from "../../support/service.ts";
import { colouredPage, createSite } from "../../support/site.ts";

const screenshotTimeoutMs = 8_000;

/** The service, and a site that it may capture; `settings` route one of its stores through a proxy that can fail. */
export async function startOnFaultyStore(
  t: Scope,
  settings: (own: Record<string, string>) => Record<string, string>,
  timeouts: TestTimeouts = {},
) {
  const site = await createSite(t, { "/": colouredPage("#ff0000") });
  const all = (own: Record<string, string>) => ({
    EGRESS_ALLOWED_HOSTS: site.host,
    SCREENSHOT_TIMEOUT: String(screenshotTimeoutMs),
    ...settings(own),
  });
  const service = await startService(t, all, timeouts);
  return { service, site, page: `${site.origin}/` };
}

interface Account {
  key: string;
  userId: string;
  delivered: number;
}

/** Callers of three accounts request a cached screenshot, new ones, and the JSON of new ones. */
async function callers(service: TestService, page: string) {
  const accounts: Account[] = [];
  for (let count = 0; count < 3; count += 1) accounts.push({ ...(await service.createAccount({ plan: "pro", quota: 500 })), delivered: 0 });
  async function take(turn: number, signal: AbortSignal, parameters: Record<string, string>): Promise<Response> {
    const account = accounts[turn % accounts.length] as Account;
    const query = new URLSearchParams({ api_key: account.key, url: page, width: "40", height: "30", ...parameters });
    const response = await fetch(`${service.origin}/v1/screenshots/take?${query}`, { signal });
    if (response.ok && response.headers.get("x-cache") === "MISS") account.delivered += 1;
    return response;
  }
  const other = (turn: number) => `${page}?${turn}-${Math.random()}`;
  for (const turn of accounts.keys()) {
    const stored = await take(turn, AbortSignal.timeout(hungAfterMs), { is_cached: "true", response_type: "empty" });
    assert.equal(stored.status, 204);
  }
  const load = startLoad({
    cached: (turn, signal) => take(turn, signal, { is_cached: "true" }),
    fresh: (turn, signal) => take(turn, signal, { url: other(turn) }),
    json: (turn, signal) => take(turn, signal, { url: other(turn), response_type: "json" }),
  });
  return { load, accounts };
}

export const hit = /^200 HIT$/;
export const taken = /^200 MISS$/;
/** Concurrent identical captures are shared. */
export const takenOnce = /^200 (MISS|COALESCED)$/;
export const unavailable = /^503 unavailable$/;
const asEver = { cached: hit, fresh: taken, json: taken };

/** On a briefly overloaded machine the cache may be skipped, which only costs a capture; but this must not happen every time. */
function assertAsEver(seen: Seen[]): void {
  assertSeen(seen, { ...asEver, cached: /^200 (HIT|MISS|COALESCED)$/ });
  assert.ok(
    seen.some(({ outcome }) => hit.test(outcome)),
    "cached screenshots are served",
  );
}

/** Checks the outcome of every request that began and ended within one phase. */
function assertSeen(seen: Seen[], expected: Record<string, RegExp>): void {
  for (const { kind, phase, outcome, retryAfter } of seen) {
    assert.match(outcome, expected[kind] as RegExp, `${kind} while ${phase}`);
    if (outcome.startsWith("503")) assert.ok(Number(retryAfter) > 0, "a 503 says when to retry");
  }
}

/**
 * At a phase boundary either outcome is allowed; but never an internal error, an invalid response or no response, which are outcomes of
 * their own.
 */
function assertSound(load: Load): void {
  for (const { kind, phase, outcome } of load.seen) {
    assert.match(outcome, /^200 (HIT|MISS|COALESCED)$|^503 unavailable$/, `${kind} while ${phase}`);
  }
}

/** An upload that hangs is retried after 20 s; only then is its capture recorded. */
const recordingTimeoutMs = 60_000;

/** Once everything has settled and abandoned captures are swept, each account has been charged for exactly what it received. */
async function assertCounted(service: TestService, accounts: Account[]): Promise<void> {
  const log = pino({ level: "silent" });
  const sweep = createQuotaSweep({ database: service.database, log });
  const deadline = Date.now() + recordingTimeoutMs;
  for (const { userId, delivered } of accounts) {
    for (;;) {
      // Waits briefly in the database, because nothing signals that a service has finished its bookkeeping.
      const { rows } = await service.pool.query(
        `select (select count(*)::integer from screenshots where user_id = $1 and status = 'done') as done,
                (select count(*)::integer from screenshots where user_id = $1 and status = 'pending') as pending,
                (select sum(used)::integer from usage_periods where user_id = $1) as used
           from pg_sleep(0.1)`,
        [userId],
      );
      const { done, pending, used } = rows[0];
      if (done === delivered && pending === 0 && used === delivered) break;
      assert.ok(done <= delivered, `${done} recorded, ${delivered} delivered`);
      assert.ok(Date.now() < deadline, `${delivered} delivered, ${JSON.stringify(rows[0])}`);
      if (done < delivered) continue; // a delivered one is still being recorded
      await service.pool.query("update screenshots set lease_until = now() where user_id = $1 and status = 'pending'", [userId]);
      await sweep.run();
    }
  }
}

interface Fault {
  service: TestService;
  page: string;
  gate: Gate;
  slowMs: number;
  /** What callers see while the component doesn't respond, and while it is down. */
  without: Record<string, RegExp>;
  /** Further checks during the outage. */
  meanwhile?: () => Promise<void>;
}

/** Prints a table of what callers saw. */
export async function provoke(t: TestContext, { service, page, gate, slowMs, without, meanwhile }: Fault): Promise<void> {
  const { load, accounts } = await callers(service, page);
  try {
    assertAsEver(await load.phase("fine", 4));
    gate.slow(slowMs);
    assertAsEver(await load.phase("slow", 4));
    gate.swallow("answers");
    const [mute] = await Promise.all([load.phase("mute", 2), meanwhile?.()]);
    assertSeen(mute, without);
    gate.cut();
    assertSeen(await load.phase("cut", 6), without);
    await gate.refuse();
    assertSeen(await load.phase("refused", 6), without);
    await gate.mend();
    await load.recovery("coming back", asEver);
    assertAsEver(await load.phase("fine again", 4));
  } finally {
    await gate.mend();
    await load.stop();
    for (const line of tableOf(load.seen)) t.diagnostic(line);
  }
  assertSound(load);
  await assertCounted(service, accounts);
}
