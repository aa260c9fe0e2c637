/** The `clock` option on pages built with third-party libraries: the same bytes every time, regardless of load. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { packageFile } from "../../fidelity/site/packages.ts";
import { startSite } from "../../fidelity/site/server.ts";
import { localFolder } from "../../scripts/stack/folders.ts";
import { keepCoresBusy } from "../support/busy.ts";
import { startCaptures } from "../support/captures.ts";
import { clockPages } from "./clock-pages.ts";

const repetitions = 10;
const fastRepetitions = 2;
const instant = "2026-01-31T12:00:00Z";
/** A busy machine takes several times as long. */
const parameters = { width: "1000", height: "700", wait_until_timeout: "30" };
/** Pages that display the time of day: with `fast`, each capture of them differs. */
const timesOfDay = ["clock-face", "ticker"];
const output = join(localFolder, "clock");
const packagesMissing = existsSync(packageFile("chart.js"))
  ? false
  : "run `npm run fidelity` to install the packages that these pages need";

test("clock: twenty animated pages give the same bytes ten times, on an idle and on a busy machine", {
  skip: packagesMissing,
  timeout: 3_600_000,
}, async (t) => {
  assert.equal(clockPages.length, 20);
  await using site = await startSite(clockPages, join(localFolder, "fidelity/sites"));
  const { capture } = await startCaptures(t, {
    MAX_CONCURRENT_SCREENSHOTS: "1",
    SCREENSHOT_TIMEOUT: "90000",
    EGRESS_ALLOWED_HOSTS: site.host,
  });
  await mkdir(output, { recursive: true });
  const images = new Map<string, Map<string, number>>();
  const round = async (clock: string) => {
    for (const one of clockPages) {
      if (clock === "fast" && timesOfDay.includes(one.name)) continue;
      const { status, bytes, warnings, headers } = await capture(site.url(one), { ...parameters, clock, ...one.options });
      assert.equal(status, 200, one.name);
      const key = `${one.name} ${clock}`;
      const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 8);
      const seen = images.get(key) ?? new Map<string, number>();
      images.set(key, seen.set(hash, (seen.get(hash) ?? 0) + 1));
      if (seen.get(hash) === 1) await writeFile(join(output, `${one.name}-${clock.slice(0, 4)}-${seen.size}.png`), bytes);
      if (warnings || seen.size > 1) t.diagnostic(`${key}: ${[...seen.keys()]} ${warnings ?? ""} ${headers.get("server-timing")}`);
    }
  };
  for (const isBusy of [false, true]) {
    const rest = isBusy ? keepCoresBusy() : async () => {};
    try {
      const begun = performance.now();
      for (let turn = 0; turn < repetitions; turn += 1) {
        await round(instant);
        if (turn < fastRepetitions) await round("fast");
      }
      t.diagnostic(`${isBusy ? "busy" : "idle"}: ${Math.round((performance.now() - begun) / 1000)} s`);
    } finally {
      await rest();
    }
  }
  const different = [...images].filter(([, seen]) => seen.size > 1).map(([key, seen]) => `${key}: ${[...seen.values()]}`);
  assert.deepEqual(different, []);
});
