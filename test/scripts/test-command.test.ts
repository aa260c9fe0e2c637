/** What `npm test` does with the names that it is given. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { namedTests } from "../../scripts/stack/named-tests.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("files, patterns and folders name tests", () => {
  assert.deepEqual(namedTests(["test/docker.test.ts"]), ["test/docker.test.ts"]);
  assert.ok(namedTests(["test/http/ta*.test.ts"]).includes("test/http/take.test.ts"));
  const folder = namedTests(["test/accounts"]);
  assert.ok(folder.includes("test/accounts/cli.test.ts") && folder.every((file) => file.endsWith(".test.ts")), String(folder));
});

test("a name without a test is an error that names the closest ones", () => {
  const rows: [name: string, close: RegExp][] = [
    ["test/http/tkae.test.ts", /^There is no test "test\/http\/tkae\.test\.ts"\. Did you mean test\/http\/take\.test\.ts\?/],
    ["take.test.ts", /Did you mean test\/http\/take\.test\.ts\?/],
    ["test/docker.ts", /Did you mean test\/docker\.test\.ts\?/],
    ["docker", /Did you mean test\/docker\.test\.ts\?/],
    ["test/nothing/like/it.md", /^There is no test "test\/nothing\/like\/it\.md"\. Tests are the files test\/\*\*\/\*\.test\.ts\.$/],
    ["a test's name", /A flag's value is joined to it: --test-name-pattern="a test's name"/],
  ];
  for (const [name, close] of rows) assert.throws(() => namedTests([name]), { message: close }, name);
});

test("npm test refuses a mistyped file at once, before anything is started", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/test.ts", "test/http/tkae.test.ts"], {
    cwd: root,
    env: { PATH: process.env.PATH }, // without the parts of this run, it would have to start its own
    encoding: "utf8",
    timeout: 60_000,
  });
  assert.equal(status, 1);
  assert.equal(stdout, "", "nothing was started");
  assert.match(stderr, /There is no test "test\/http\/tkae\.test\.ts"\. Did you mean test\/http\/take\.test\.ts\?/);
});
