/** How many source files run code for a request; a reader must open all of them to follow it. */

import assert from "node:assert/strict";
import { Session } from "node:inspector/promises";
import { relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { root } from "../../../scripts/stack/folders.ts";
import { eventually } from "../../support/eventually.ts";
import { startService } from "../../support/service.ts";
import { colouredPage, createSite } from "../../support/site.ts";

const freshMax = 72;
const hitMax = 22;

/** Files in `src` in which a function ran during each of `runs` runs of `work`; background work rarely occurs in all of them. */
async function filesRunBy(session: Session, runs: number, work: () => Promise<unknown>): Promise<string[]> {
  let common = await filesRunOnce(session, work);
  for (let run = 1; run < runs; run++) {
    const files = new Set(await filesRunOnce(session, work));
    common = common.filter((file) => files.has(file));
  }
  return common.sort();
}

async function filesRunOnce(session: Session, work: () => Promise<unknown>): Promise<string[]> {
  await session.post("Profiler.takePreciseCoverage"); // resets the counts
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  return result
    .filter(({ url, functions }) => url.startsWith("file:") && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .map(({ url }) => relative(root, fileURLToPath(url)))
    .filter((file) => file.startsWith("src/") && !everySecond.some((one) => file.startsWith(one)));
}

/** Code that runs every second regardless of requests: the watch scheduler, and permits for queued captures. */
const everySecond = ["src/watches/", "src/start/watch-services.ts", "src/shared/loop.ts", "src/screenshots/queued/host-permits.ts"];

test(`a fresh request executes code in at most ${freshMax} files, and a cache hit in at most ${hitMax}`, async (t) => {
  const site = await createSite(t, {
    "/": colouredPage("#00ff00", "<h1>Opening hours</h1><p>Monday to Friday from nine to five, and by appointment."),
  });
  const service = await startService(t, { EGRESS_ALLOWED_HOSTS: site.host, MAX_CONCURRENT_SCREENSHOTS: "1" });
  const { key } = await service.createAccount();
  const take = async (query: Record<string, string>) => {
    const answer = await service.take({ api_key: key, url: `${site.origin}/`, ...query });
    assert.equal(answer.status, 200);
    await answer.arrayBuffer();
    return answer.headers.get("x-cache");
  };
  const session = new Session();
  session.connect();
  t.after(() => session.disconnect());
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

  for (let warmUp = 0; warmUp < 2; warmUp++) await take({});
  const fresh = await filesRunBy(session, 3, async () => assert.equal(await take({}), "MISS"));
  t.diagnostic(`fresh: ${fresh.length}: ${fresh.join(" ")}`);

  await take({ is_cached: "true", response_type: "json" }); // responds once the screenshot is stored
  await eventually("the browser is ready for the next capture", async () => {
    const { checks } = await (await fetch(`${service.origin}/health`)).json();
    return checks.find(({ name }: { name: string }) => name === "browser").details?.idle === 1;
  });
  for (let warmUp = 0; warmUp < 2; warmUp++) await take({ is_cached: "true" });
  const hit = await filesRunBy(session, 8, async () => assert.equal(await take({ is_cached: "true" }), "HIT"));
  t.diagnostic(`hit: ${hit.length}: ${hit.join(" ")}`);

  assert.ok(fresh.length <= freshMax, `${fresh.length} files:\n${fresh.join("\n")}`);
  assert.ok(hit.length <= hitMax, `${hit.length} files:\n${hit.join("\n")}`);
});
