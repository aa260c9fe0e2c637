/** How `npm test` resolves names of tests. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
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
