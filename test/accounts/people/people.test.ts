/** Command-line operations on users: passwords and administrators. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { longOnly } from "../../support/long-only.ts";
import { fileScope } from "../../support/scope.ts";
import { createVisitor, goodPassword, signedUp, startWithVisitors } from "../../support/visitor.ts";

const longTest = longOnly(test);

const service = await startWithVisitors(fileScope());

async function cli(args: string[], input = "") {
  const child = spawn(process.execPath, ["src/cli.ts", ...args], { env: service.env, timeout: 60_000 });
  child.stdin.end(input);
  const [out, words, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { out, words, code };
}

async function signIn(email: string, password: string) {
  const visitor = createVisitor(service);
  return { visitor, status: (await visitor.post("/v1/auth/sign-in", { email, password })).status };
}

test("user:reset-password prints only the new password to stdout, and invalidates the old password and all sessions", async () => {
  const person = await signedUp(service);
  const { out, code } = await cli(["user:reset-password", person.email.toUpperCase()]);
  assert.equal(code, 0);
  assert.match(out, /^[\w-]{20}\n$/);
  assert.equal((await person.get("/v1/account")).status, 401);
  assert.equal((await signIn(person.email, goodPassword)).status, 401);
  assert.equal((await signIn(person.email, out.trim())).status, 200);
});

longTest("a password from standard input is set but not printed", async () => {
  const person = await signedUp(service);
  const { out, code } = await cli(["user:reset-password", person.email, "--password-stdin"], "my own password\n");
  assert.deepEqual([out, code], ["", 0]);
  assert.equal((await signIn(person.email, "my own password")).status, 200);
  const short = await cli(["user:reset-password", person.email, "--password-stdin"], "short");
  assert.deepEqual([short.code, short.words], [1, "A password must have 10 to 128 characters.\n"]);
});

longTest("a user created on the command line can sign in after a password reset", async () => {
  const email = `made-${crypto.randomUUID()}@example.com`;
  await cli(["user:create", email, "--name", "Made"]);
  assert.equal((await signIn(email, "my own password")).status, 401);
  await cli(["user:reset-password", email, "--password-stdin"], "my own password");
  const { visitor, status } = await signIn(email, "my own password");
  assert.equal(status, 200);
  assert.equal((await visitor.get("/v1/account")).body.user.name, "Made");
});

test("user:grant-admin grants and revokes the role", async () => {
  const person = await signedUp(service);
  assert.match((await cli(["user:grant-admin", person.email])).words, /is an administrator/);
  assert.equal((await person.get("/v1/admin/users")).status, 200);
  assert.match((await cli(["user:grant-admin", person.email, "--revoke"])).words, /no longer an administrator/);
  assert.equal((await person.get("/v1/admin/users")).status, 403);
  const unknown = await cli(["user:grant-admin", "nobody@example.com"]);
  assert.deepEqual([unknown.code, unknown.words], [1, "The user nobody@example.com does not exist.\n"]);
});
