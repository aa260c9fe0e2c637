/** The bounds of file and function sizes that `npm run check` counts. */

import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { measureSizes, sizeProblems } from "../../scripts/size.ts";

test("a long file, a high median and too many long functions are each reported; generated files are not counted", async (t) => {
  const root = await mkdtemp(join(tmpdir(), "tintype-size-"));
  t.after(() => rm(root, { recursive: true }));
  await mkdir(join(root, "src"));
  const write = (name: string, lines: number, text = "") => writeFile(join(root, "src", name), text + "x\n".repeat(lines));
  await write("short.ts", 10);
  assert.deepEqual(sizeProblems(measureSizes(root)), []);
  await write("long.ts", 221);
  await write("longest.generated.ts", 5000);
  const ignored = "// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list\n".repeat(15);
  await write("middle.ts", 80, ignored);
  assert.deepEqual(sizeProblems(measureSizes(root)), [
    "The median file of src has 95 lines; at most 75 are allowed.",
    "src/long.ts (221) has more than 220 lines: it is probably two ideas.",
    "15 functions of src are longer than 50 lines; at most 14 may be.",
  ]);
});
