/** The `npm test` command: test names, and rerunning files. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { namedTests } from "../../scripts/testing/named-tests.ts";
import { fixtures } from "./test-fixtures.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("names may be files, patterns and folders", () => {
  assert.deepEqual(namedTests(["test/deploy/docker.test.ts"], false), ["test/deploy/docker.test.ts"]);
  assert.ok(namedTests(["test/http/**/ta*.test.ts"], false).includes("test/http/screenshots/take.test.ts"));
  for (const name of ["test/accounts", "accounts"]) {
    const folder = namedTests([name], false);
    assert.ok(
      folder.includes("test/accounts/keys/store.test.ts") && folder.every((file) => !file.endsWith(".long.test.ts")),
      String(folder),
    );
  }
  const long = namedTests(["jobs"], true);
  assert.ok(long.includes("test/jobs/killed-workers.long.test.ts") && long.every((file) => file.endsWith(".long.test.ts")), String(long));
});

test("CONTRIBUTING.md lists every long file, and the tests of the default suite that cover the same", async () => {
  const text = await readFile(join(root, "CONTRIBUTING.md"), "utf8");
  const rows = [...text.matchAll(/^\| `([^`]+\.long\.test\.ts)` +\|.*\| ([^|]+) \|$/gm)];
  const files = globSync("**/*.long.test.ts", { cwd: join(root, "test") });
  assert.deepEqual(rows.map(([, file]) => file).sort(), files.sort());
  for (const [, file, others = ""] of rows)
    for (const [, other = ""] of others.matchAll(/`([^`]+)`/g)) assert.ok(existsSync(join(root, "test", other)), `${file}: ${other}`);
});

test("an unknown name is an error that suggests the closest tests", () => {
  const rows: [name: string, close: RegExp][] = [
    ["test/http/tak.test.ts", /^There is no test "test\/http\/tak\.test\.ts"\. Did you mean test\/http\/screenshots\/take\.test\.ts\?/],
    ["take.test.ts", /Did you mean test\/http\/screenshots\/take\.test\.ts\?/],
    ["test/docker.ts", /Did you mean test\/deploy\/docker\.test\.ts\?/],
    ["docker", /Did you mean test\/deploy\/docker\.test\.ts\?/],
    ["test/nothing/like/it.md", /^There is no test "test\/nothing\/like\/it\.md"\. Tests are the files test\/\*\*\/\*\.test\.ts\.$/],
    ["a test's name", /A flag's value is joined to it with =: --test-name-pattern="a test's name"/],
  ];
  for (const [name, close] of rows) assert.throws(() => namedTests([name], false), { message: close }, name);
});

test("a mistyped file is rejected before anything is started", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/test.ts", "test/http/tak.test.ts"], {
    cwd: root,
    env: { PATH: process.env.PATH }, // without this run's servers, it would start its own
    encoding: "utf8",
    timeout: 60_000,
  });
  assert.equal(status, 1);
  assert.equal(stdout, "", "nothing was started");
  assert.match(stderr, /There is no test "test\/http\/tak\.test\.ts"\. Did you mean test\/http\/screenshots\/take\.test\.ts\?/);
});

test("--rerun-failed reruns failed files once, and says which passed only then", async (t) => {
  const { folder, write } = await fixtures(t);
  const runs = join(folder, "runs");
  const note = (name: string) => `import { appendFileSync, readFileSync } from "node:fs"; appendFileSync("${runs}", "${name} ");`;
  const passing = await write("passing", `${note("passing")} test("passes", () => {});`);
  const second = await write(
    "second",
    `${note("second")} test("passes later", () => { if (readFileSync("${runs}", "utf8").split("second").length < 3) throw new Error("first"); });`,
  );
  const broken = await write(
    "broken",
    `${note("broken")} test("never ends", () => new Promise(() => {})); setTimeout(() => process.exit(3), 500);`,
  );
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["scripts/test.ts", "--rerun-failed", "--test-concurrency=3", passing, second, broken],
    { cwd: root, env, encoding: "utf8", timeout: 60_000 },
  );
  const ran = (await readFile(runs, "utf8").catch(() => stdout + stderr)).trim().split(" ").sort();
  assert.deepEqual([status, ran], [1, ["broken", "broken", "passing", "second", "second"]], stdout + stderr);
  assert.match(stdout, /\nFailed beside other files, passed alone: [^,\n]*second\.test\.ts\.\n/);
  assert.match(stdout, /broken\.test\.ts ended with exit code 3 before its tests did; running: never ends/);
  assert.match(stdout, /\n2 passed, 1 failed, 0 skipped\n$/);
});
