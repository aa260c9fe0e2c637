/**
 * Every response arrives in time: 1,000 requests while targets hang, reset connections and fail, and half of the browsers are repeatedly
 * killed.
 */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { chromiumProcesses } from "../browser/processes.ts";
import { describeImage } from "../support/image.ts";
import { inParallel } from "../support/in-parallel.ts";
import { fileScope } from "../support/scope.ts";
import { startService, type TestService } from "../support/service.ts";
import { colouredPage, createSite, type Site } from "../support/site.ts";

const scope = fileScope();
/** Timeout for one test, longer than Node's default. */
const timeout = 15 * 60_000;
const slots = 4;
/** One account can use at most three of the four browsers. */
const concurrency = 3;
const timeoutSeconds = 4;
const graceMs = 500;
const killEvery = 40;
const text = "<p>Opening hours: nine to five, Monday to Friday, and by appointment";
const kinds = ["hangs", "resets", "fails", "works"] as const;
type Kind = (typeof kinds)[number];

let site: Site;
let service: TestService;
let isBroken = false;

/** Of every ten requests, one hangs, one is reset, one gets status 500, and seven succeed. */
const kindOf = (index: number): Kind => kinds[index % 10] ?? "works";

/** Half of the failing targets have been captured before. Every other target that hangs sends its page, but not an image in it. */
function pathOf(index: number): string {
  const kind = kindOf(index);
  const turn = Math.floor(index / 10);
  if (kind === "works") return `/works/${index}`;
  return `/${kind}/${turn % 2 === 0 ? `known-${turn % 20}` : `new-${index}`}${kind === "hangs" && turn % 4 >= 2 ? "-partly" : ""}`;
}

before(async () => {
  site = await createSite(scope, { "/never": () => {} });
  for (let index = 0; index < 1_000; index += 1) {
    const [kind, path] = [kindOf(index), pathOf(index)];
    site.serve({
      [path]: (request, response) => {
        const page = (more = "") => response.setHeader("content-type", "text/html").end(colouredPage("#00ff00", text + more));
        if (!isBroken || kind === "works") page();
        else if (kind === "resets") request.socket.destroy();
        else if (kind === "fails") response.writeHead(500).end("out of order");
        else if (path.endsWith("-partly")) page("<img src='/never'>");
      },
    });
  }
  const settings = { MAX_CONCURRENT_SCREENSHOTS: String(slots), MAX_QUEUED_SCREENSHOTS: "100" };
  service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, ...settings });
});

async function killHalfOfTheBrowsers(): Promise<number> {
  const browsers = (await chromiumProcesses()).filter(({ kind }) => kind === "browser");
  const victims = browsers.slice(0, Math.ceil(browsers.length / 2));
  for (const { pid } of victims) process.kill(pid, "SIGKILL");
  return victims.length;
}

interface Ended {
  index: number;
  response: Response;
  bytes: Uint8Array;
  ms: number;
}

/** Sends `count` requests, a few at a time, and kills half of the browsers after every `killEvery` requests. */
async function takeAll(count: number, parameters: Record<string, string>): Promise<{ ended: Ended[]; killed: number }> {
  const ended: Ended[] = [];
  let killed = 0;
  await inParallel(count, concurrency, async (index) => {
    const started = performance.now();
    const response = await service.take({ url: `${site.origin}${pathOf(index)}`, ...parameters });
    const bytes = new Uint8Array(await response.arrayBuffer());
    ended.push({ index, response, bytes, ms: performance.now() - started });
    if (ended.length % killEvery === 0) killed += await killHalfOfTheBrowsers();
  });
  return { ended, killed };
}

/** Which fallback the response reports. */
function stepOf({ headers }: Response): string {
  const [cache, verdict, code] = ["x-cache", "x-verdict", "x-error-code"].map((name) => headers.get(name));
  if (code) return `placeholder ${code}`;
  if (cache === "STALE") return "stale";
  return verdict === "partial" ? "partial" : `fresh ${verdict}`;
}

function countBy<T>(items: T[], nameOf: (item: T) => string): Record<string, number> {
  const groups = Object.groupBy(items, nameOf);
  return Object.fromEntries(Object.entries(groups).map(([name, group]) => [name, group?.length ?? 0]));
}

const asked = { format: "png", width: "200", height: "100", fail_on_status: "500-599", timeout: String(timeoutSeconds) };

test("with all fallbacks enabled, 1,000 requests get 1,000 images, each within the timeout plus half a second", { timeout }, async (t) => {
  const account = await service.createAccount();
  const chain = { on_timeout: "partial", stale_if_error: "3600", error_image: "true" };
  const parameters = { ...asked, ...chain, api_key: account.key };
  isBroken = false;
  const known = [...new Set(Array.from({ length: 1_000 }, (_, index) => pathOf(index)).filter((path) => path.includes("known")))];
  await inParallel(known.length, concurrency, async (index) => {
    const response = await service.take({ ...parameters, url: `${site.origin}${known[index]}`, response_type: "empty", timeout: "30" });
    assert.equal(response.status, 204);
  });
  isBroken = true;
  const { ended, killed } = await takeAll(1_000, parameters);
  const steps = countBy(ended, ({ index, response }) => `${kindOf(index)}: ${stepOf(response)}`);
  const slowest = Math.max(...ended.map(({ ms }) => ms));
  t.diagnostic(`${killed} browsers killed; slowest ${Math.round(slowest)} ms; ${JSON.stringify(steps)}`);

  for (const { response, bytes } of ended) {
    assert.match(response.headers.get("content-type") ?? "", /^image\/png$/);
    assert.deepEqual(describeImage(bytes), { type: "png", width: 200, height: 100 });
  }
  assert.deepEqual(
    ended.filter(({ ms }) => ms > timeoutSeconds * 1000 + graceMs).map(({ index, ms }) => `${pathOf(index)}: ${Math.round(ms)} ms`),
    [],
  );
  assert.ok(killed >= 20, `${killed} browsers were killed`);
  const captured = ended.filter(({ response }) => /^(fresh|partial)/.test(stepOf(response))).length;
  const { rows } = await service.pool.query(
    `select used, (select count(*)::int from screenshots s where s.user_id = u.user_id and status <> 'failed') as captured
       from usage_periods u where user_id = $1`,
    [account.userId],
  );
  assert.deepEqual(rows, [{ used: known.length + captured, captured: known.length + captured }]);
  const stale = ended.filter(({ index, response }) => stepOf(response) === "stale" && !pathOf(index).includes("known"));
  assert.equal(stale.length, 0, "only pages that were captured before can be stale");
});

test("without fallbacks, every failure returns the specific error", { timeout }, async (t) => {
  const { key } = await service.createAccount();
  isBroken = true;
  // Long enough for two attempts; a page whose image is missing is not captured without it.
  const { ended, killed } = await takeAll(300, { ...asked, api_key: key, timeout: "8", wait_until: "load" });
  const outcomes = countBy(ended, ({ index, response, bytes }) => {
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return `${kindOf(index)}: ${response.status} ${isJson ? JSON.parse(Buffer.from(bytes).toString()).code : response.headers.get("x-verdict")}`;
  });
  t.diagnostic(`${killed} browsers killed`);
  assert.deepEqual(outcomes, {
    "hangs: 400 target_timeout": 30,
    "resets: 400 connection_failed": 30,
    "fails: 400 host_returned_error": 30,
    "works: 200 ok": 210,
  });
});
