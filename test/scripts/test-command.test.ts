/** How `npm test` resolves names of tests. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { namedTests } from "../../scripts/stack/named-tests.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("names may be files, patterns and folders", () => {
  assert.deepEqual(namedTests(["test/docker.test.ts"]), ["test/docker.test.ts"]);
  assert.ok(namedTests(["test/http/ta*.test.ts"]).includes("test/http/take.test.ts"));
  const folder = namedTests(["test/accounts"]);
  assert.ok(folder.includes("test/accounts/cli.test.ts") && folder.every((file) => file.endsWith(".test.ts")), String(folder));
});

test("an unknown name is an error that suggests the closest tests", () => {
  const rows: [name: string, close: RegExp][] = [
    ["test/http/tkae.test.ts", /^There is no test "test\/http\/tkae\.test\.ts"\. Did you mean test\/http\/take\.test\.ts\?/],
    ["take.test.ts", /Did you mean test\/http\/take\.test\.ts\?/],
    ["test/docker.ts", /Did you mean test\/docker\.test\.ts\?/],
    ["docker", /Did you mean test\/docker\.test\.ts\?/],
    ["test/nothing/like/it.md", /^There is no test "test\/nothing\/like\/it\.md"\. Tests are the files test\/\*\*\/\*\.test\.ts\.$/],
    ["a test's name", /A flag's value is joined to it with =: --test-name-pattern="a test's name"/],
  ];
  for (const [name, close] of rows) assert.throws(() => namedTests([name]), { message: close }, name);
});

test("a mistyped file is rejected before anything is started", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/test.ts", "test/http/tkae.test.ts"], {
    cwd: root,
    env: { PATH: process.env.PATH }, // without this run's servers, it would start its own
    encoding: "utf8",
    timeout: 60_000,
  });
  assert.equal(status, 1);
  assert.equal(stdout, "", "nothing was started");
  assert.match(stderr, /There is no test "test\/http\/tkae\.test\.ts"\. Did you mean test\/http\/take\.test\.ts\?/);
});

test("--rerun-failed runs files that failed once more, and says which passed only then", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "tintype-test-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const write = async (name: string, text: string) => {
    const file = join(folder, `${name}.test.ts`);
    await writeFile(file, `import { appendFileSync, readFileSync } from "node:fs"; import { test } from "node:test";\n${text}`);
    return file;
  };
  const runs = join(folder, "runs");
  const passing = await write("passing", `test("passes", () => appendFileSync("${runs}", "passing "));`);
  const second = await write(
    "second",
    `test("passes the second time", () => { appendFileSync("${runs}", "second "); if (readFileSync("${runs}", "utf8").split("second").length < 3) throw new Error("first"); });`,
  );
  const broken = await write("broken", `appendFileSync("${runs}", "broken "); process.exit(3);`);
  const run = async (...files: string[]) => {
    await writeFile(runs, "");
    const { NODE_TEST_CONTEXT, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/test.ts", "--rerun-failed", ...files], {
      cwd: root,
      env,
      encoding: "utf8",
      timeout: 60_000,
    });
    return { status, output: stdout + stderr, ran: readFileSync(runs, "utf8").split(" ").filter(Boolean).sort() };
  };
  const flaky = await run(passing, second);
  assert.deepEqual([flaky.status, flaky.ran], [0, ["passing", "second", "second"]], flaky.output);
  assert.match(flaky.output, /\nFailed beside other files, passed alone: [^\n]*second\.test\.ts\.\n$/);
  const failed = await run(passing, broken);
  assert.deepEqual([failed.status, failed.ran], [1, ["broken", "broken", "passing"]], failed.output);
  assert.match(failed.output, /\nFailed, and not all of it passed alone: [^\n]*broken\.test\.ts\.\n$/);
  assert.doesNotMatch((await run(passing)).output, /alone/);
});
