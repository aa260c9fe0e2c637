/** The limits on file, function and folder sizes that `npm run check` enforces. */

import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { measureSizes, sizeProblems } from "../../scripts/size.ts";

async function emptyProject(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), "tintype-size-"));
  t.after(() => rm(root, { recursive: true }));
  await mkdir(join(root, "src"));
  const write = async (name: string, lines: number, text = "") => {
    await mkdir(join(root, "src", dirname(name)), { recursive: true });
    await writeFile(join(root, "src", name), text + "x\n".repeat(lines));
  };
  return { root, write };
}

test("a long file, a high median and too many long functions are each reported; generated files don't count", async (t) => {
  const { root, write } = await emptyProject(t);
  await write("short.ts", 10);
  assert.deepEqual(sizeProblems(measureSizes(root)), []);
  await write("long.ts", 221);
  await write("longest.generated.ts", 5000);
  const ignored = "// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list\n".repeat(18);
  await write("a/middle.ts", 90, ignored);
  assert.deepEqual(sizeProblems(measureSizes(root)), [
    "The median file of src has 108 lines; at most 100 are allowed.",
    "src/long.ts (221) has more than 220 lines: it is probably two ideas.",
    "18 functions of src have more than 50 lines; at most 17 are allowed.",
  ]);
});

test("extra root files, too many folders and full folders are reported, except for in-page functions", async (t) => {
  const { root, write } = await emptyProject(t);
  for (let number = 1; number <= 23; number++) await write(`folder-${number}/file.ts`, 1);
  for (let file = 1; file <= 27; file++) for (const folder of ["folder-1/inner", "capture/in-page"]) await write(`${folder}/${file}.ts`, 1);
  for (const file of ["one.ts", "two.ts", "three.js"]) await write(file, 1);
  assert.deepEqual(sizeProblems(measureSizes(root)), [
    "3 files are directly in src; at most 2 are allowed.",
    "src has 27 folders and files directly in it; at most 23 are allowed.",
    "src/folder-1/inner (27) has more than 26 files.",
  ]);
});

test("imports between folders are counted once per pair, however many files import", async (t) => {
  const { root, write } = await emptyProject(t);
  const both = 'import { a } from "../b/a.ts";\nimport type { C } from "../c/c.ts";\n';
  await write("a/one.ts", 1, both);
  await write("a/two.ts", 1, `${both}const later = await import("../b/b.ts");\n`);
  await write("b/a.ts", 1, 'import { own } from "./own.ts";\n');
  assert.equal(measureSizes(root).imports, 2);
});
