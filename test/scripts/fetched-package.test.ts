/** Programs that the machine lacks, downloaded as npm packages. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

test("a download removes what killed ones have left of the same packages, but nothing of running ones", async (t) => {
  const data = mkdtempSync(join(tmpdir(), "tintype-tools-"));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  process.env.TINTYPE_DATA = data; // read when the module is loaded
  t.after(() => delete process.env.TINTYPE_DATA);
  const { fetchedFolder, fetchPackage } = await import("../../scripts/stack/fetched-package.ts");
  const source = join(data, "source");
  mkdirSync(source);
  const about = { name: "nothing", version: "1.0.0" };
  writeFileSync(join(source, "package.json"), JSON.stringify(about));
  writeFileSync(join(source, "package-lock.json"), JSON.stringify({ ...about, lockfileVersion: 3, packages: { "": about } }));
  const folder = await fetchedFolder("nothing", source);
  const { pid: ended } = spawnSync(process.execPath, ["--version"]);
  const [left, running, other] = [`${folder}.${ended}`, `${folder}.${process.ppid}`, join(data, "tools", `other.${ended}`)];
  for (const one of [left, running, other]) mkdirSync(join(one, "node_modules"), { recursive: true });
  await fetchPackage(
    "nothing",
    async () => {},
    new AbortController().signal,
    () => {},
    source,
  );
  assert.deepEqual([left, running, other].map(existsSync), [false, true, true]);
  assert.ok(readdirSync(folder).includes("package.json"));
});
