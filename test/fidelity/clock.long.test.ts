/** The option `clock` on pages made with third-party libraries: the same bytes each time, whatever else the machine does. */

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
const values = ["2026-01-31T12:00:00Z", "fast"];
const output = join(localFolder, "clock");
const packagesMissing = existsSync(packageFile("chart.js")) ? false : "npm run fidelity installs the packages of these pages";

test("clock: twenty moving pages give the same bytes ten times, on an idle and on a busy processor", {
  skip: packagesMissing,
}, async (t) => {
  assert.equal(clockPages.length, 20);
  await using site = await startSite(clockPages, join(localFolder, "fidelity/sites"));
  const { capture } = await startCaptures(t, { MAX_CONCURRENT_SCREENSHOTS: "1", EGRESS_ALLOWED_HOSTS: site.host });
  await mkdir(output, { recursive: true });
  const images = new Map<string, Map<string, number>>();
  const round = async (clock: string) => {
    for (const one of clockPages.filter((one) => !process.env.ONLY || process.env.ONLY.split(",").includes(one.name))) {
      const parameters = { clock, width: "1000", height: "700" };
      const { status, bytes, warnings, headers } = await capture(site.url(one), parameters);
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
      for (let turn = 0; turn < repetitions; turn += 1) for (const clock of clockValues(turn)) await round(clock);
      t.diagnostic(`${isBusy ? "busy" : "idle"}: ${Math.round((performance.now() - begun) / 1000)} s`);
    } finally {
      await rest();
    }
  }
  const different = [...images].filter(([, seen]) => seen.size > 1).map(([key, seen]) => `${key}: ${[...seen.values()]}`);
  assert.deepEqual(different, []);
});

/** An instant each time, and the other values now and then. */
function clockValues(turn: number): string[] {
  return turn % 5 === 0 ? values : values.slice(0, 1);
}
