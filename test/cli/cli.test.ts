/** The command line: what it prints on which stream, and its errors. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { hashKey, isWellFormedKey } from "../../src/accounts/keys/authenticate.ts";
import { createEmptyTestDatabase, createTestDatabase } from "../support/database.ts";
import { inParallel } from "../support/in-parallel.ts";
import { longOnly, onlyLong } from "../support/long-only.ts";
import { type CliOutcome, cliOn } from "./cli.ts";

const longTest = longOnly(test);

async function setUp(t: TestContext) {
  const database = await createTestDatabase(t);
  return { ...database, cli: cliOn(database.settings, { AUTH_SECRET: "x".repeat(32), DEFAULT_API_KEY_PREFIX: "tt_live" }) };
}

async function refusal(outcome: Promise<CliOutcome>): Promise<string> {
  const { code, out, words } = await outcome;
  assert.equal(code, 1, words);
  assert.equal(out, "", "a refusal prints nothing on stdout");
  assert.doesNotMatch(words, /\n {4}at /, "a refusal is a sentence, not a stack trace");
  return words.trim();
}

test("from an empty database to a key: only the key is on stdout", async (t) => {
  const { settings, pool } = await createEmptyTestDatabase(t);
  const cli = cliOn(settings);
  assert.equal((await cli("migrate")).code, 0);
  assert.equal((await cli("user:create", "Ada@Example.test", "--name", "Ada")).code, 0);
  const { code, out, words } = await cli(
    "key:create",
    "ada@example.test",
    "--name",
    "site",
    "--domain",
    "Example.com",
    "--domain",
    "*.bücher.de",
    "--target",
    "example.org",
    "--allow-missing-origin",
    "--expires",
    "2199-01-01T00:00:00Z",
  );
  assert.equal(code, 0, words);
  const key = out.trim();
  assert.ok(isWellFormedKey(key) && key.startsWith("ss_"), "stdout contains nothing but the key");
  assert.ok(!words.includes(key));
  const { rows } = await pool.query("select u.name as user_name, k.* from api_keys k join users u on u.id = k.user_id");
  assert.equal(rows.length, 1);
  const [row] = rows;
  assert.deepEqual(
    [row.user_name, row.name, row.hash, row.allowed_domains, row.allowed_targets, row.allow_missing_origin, row.expires_at],
    ["Ada", "site", hashKey(key), ["example.com", "*.xn--bcher-kva.de"], ["example.org"], true, new Date("2199-01-01T00:00:00Z")],
  );
  const list = await cli("key:list", "ada@example.test");
  assert.match(list.out, /site\tactive\tnever\texample\.com,\*\.xn--bcher-kva\.de\texample\.org/);
  assert.ok(!list.out.includes(key));
});

longTest("a new key has the prefix from the settings", async (t) => {
  const { cli } = await setUp(t);
  await cli("user:create", "a@example.test");
  assert.match((await cli("key:create", "a@example.test")).out, /^tt_live_[0-9A-Za-z]{36}\n$/);
});

longTest("a key can be revoked once, by its id, its hint or the key itself", async (t) => {
  const { cli, pool } = await setUp(t);
  await cli("user:create", "a@example.test");
  for (const by of ["hint", ...onlyLong(["id", "key"])]) {
    const key = (await cli("key:create", "a@example.test")).out.trim();
    const { rows } = await pool.query("select id, hint from api_keys where revoked_at is null");
    const which = { id: rows[0].id, hint: rows[0].hint.replace("…", "..."), key }[by] as string;
    assert.equal((await cli("key:revoke", which)).code, 0, by);
    assert.equal((await pool.query("select 1 from api_keys where revoked_at is null")).rowCount, 0, by);
    assert.match(await refusal(cli("key:revoke", which)), /already revoked/);
  }
  assert.match(await refusal(cli("key:revoke", "ss_none...none")), /Key not found/);
  assert.match((await cli("key:list")).out, /\trevoked\t/);
});

longTest("a key's signing secret is stable, and differs from that of another key", async (t) => {
  const { cli, pool } = await setUp(t);
  await cli("user:create", "a@example.test");
  const key = (await cli("key:create", "a@example.test", "--require-signature")).out.trim();
  const other = (await cli("key:create", "a@example.test")).out.trim();
  const { rows } = await pool.query("select id, require_signature from api_keys order by created_at");
  assert.deepEqual(
    rows.map((row) => row.require_signature),
    [true, false],
  );
  const [byKey, byId, ofOther] = [await cli("key:secret", key), await cli("key:secret", rows[0].id), await cli("key:secret", other)];
  assert.match(byKey.out, /^[0-9a-f]{64}\n$/);
  assert.equal(byId.out, byKey.out);
  assert.notEqual(ofOther.out, byKey.out);
  assert.match(await refusal(cli("key:secret", "ss_none...none")), /Key not found/);
});

longTest("a plan's number of keys can't be exceeded; revoked keys don't count", async (t) => {
  const { cli, pool } = await setUp(t);
  await cli("user:create", "a@example.test");
  for (let made = 0; made < 3; made++) assert.equal((await cli("key:create", "a@example.test")).code, 0);
  assert.match(await refusal(cli("key:create", "a@example.test")), /^The free plan allows 3 keys, and 3 are in use: revoke one first\.$/);
  const { rows } = await pool.query("select id from api_keys limit 1");
  await cli("key:revoke", rows[0].id);
  const outcomes = await Promise.all([cli("key:create", "a@example.test"), cli("key:create", "a@example.test")]);
  assert.deepEqual(outcomes.map(({ code }) => code).sort(), [0, 1]);
});

longTest("plan:set with overrides keeps the quota months; plan:set free removes the overrides", async (t) => {
  const { cli, pool } = await setUp(t);
  await cli("user:create", "a@example.test");
  const subscription = async () =>
    (await pool.query("select plan_id, source, rate_limit_override, monthly_quota_override, anchor from subscriptions")).rows[0];
  assert.equal((await cli("plan:set", "A@example.test", "pro", "--rate-limit", "120", "--quota", "5000")).code, 0);
  const { anchor, ...first } = await subscription();
  assert.deepEqual(first, { plan_id: "pro", source: "manual", rate_limit_override: 120, monthly_quota_override: 5000 });
  assert.equal((await cli("plan:set", "a@example.test", "enterprise", "--quota", "unlimited")).code, 0);
  assert.deepEqual(await subscription(), {
    plan_id: "enterprise",
    source: "manual",
    rate_limit_override: null,
    monthly_quota_override: null,
    anchor,
  });
  assert.equal((await cli("plan:set", "a@example.test", "free")).code, 0);
  assert.equal(await subscription(), undefined);
});

test("user:create --plan: the account starts on that plan, and both commands print the effective limits", async (t) => {
  const { cli, pool } = await setUp(t);
  const own = await cli("user:create", "a@example.test", "--plan", "enterprise");
  assert.match(own.words, /^Created a@example\.test on the plan enterprise: 600 requests a minute, unlimited screenshots\.$/m);
  const { rows } = await pool.query("select u.id, s.plan_id from users u join subscriptions s on s.user_id = u.id");
  assert.deepEqual([rows[0].plan_id, own.out], ["enterprise", `${rows[0].id}\n`]);
  const free = await cli("user:create", "b@example.test");
  assert.match(free.words, /on the plan free: 10 requests a minute, 100 screenshots a month\./);
  assert.match(free.words, /plan:set/, "it says how to change them");
  const set = await cli("plan:set", "b@example.test", "pro", "--quota", "5000");
  assert.match(set.words, /b@example\.test is on the plan pro: 60 requests a minute, 5000 screenshots a month\./);
});

test("user:create with an unknown plan creates no account", async (t) => {
  const { cli, pool } = await setUp(t);
  const unknown = refusal(cli("user:create", "a@example.test", "--plan", "gold"));
  assert.match(await unknown, /no plan "gold"; the plans are free, pro, enterprise\./);
  assert.equal((await pool.query("select 1 from users")).rowCount, 0);
});

test("invalid commands are rejected with a message that says why", async (t) => {
  const { cli } = await setUp(t);
  await cli("user:create", "a@example.test");
  const rows: [args: string[], words: RegExp][] = [
    [["user:create", "A@example.test"], /^The user a@example\.test already exists\.$/],
    [["user:create", "nobody"], /not an e-mail address/],
    [["key:create", "b@example.test"], /^The user b@example\.test does not exist\.$/],
    [["key:create", "a@example.test", "--quota", "5"], /doesn't support --quota[\s\S]*Usage:/],
    [["key:make"], /Unknown command "key:make"[\s\S]*Usage:/],
    [["key:create"], /Missing: EMAIL[\s\S]*Usage:/],
    [["key:list", "a", "b"], /Too many arguments[\s\S]*Usage:/],
    [[], /Usage:/],
    ...onlyLong<[args: string[], words: RegExp]>([
      [["plan:set", "a@example.test", "gold"], /no plan "gold"; the plans are free, pro, enterprise\./],
      [["plan:set", "a@example.test", "pro", "--quota", "unlimited"], /quota of 1000.*choose enterprise/],
      [["plan:set", "a@example.test", "pro", "--rate-limit", "0"], /--rate-limit must be an integer from 1/],
      [["key:create", "a@example.test", "--domain", "*.com"], /com is a public suffix/],
      [["key:create", "a@example.test", "--expires", "tomorrow"], /--expires must be a date/],
      [["key:list", "b@example.test"], /does not exist/],
      [["plan:set", "b@example.test", "pro"], /does not exist/],
      [["plan:set", "a@example.test", "free", "--quota", "5"], /can't have custom limits/],
      [["plan:set", "a@example.test", "pro", "--quota", "many"], /--quota must be an integer from 0 to 2147483647, or `unlimited`\./],
      [["key:create", "a@example.test", "--target", "https://example.com/a"], /path/],
      [["key:create", "a@example.test", "--expires", "2199-01-01T00:00"], /with a UTC offset/],
      [["key:create", "a@example.test", "--expires", "2001-01-01"], /--expires must be in the future/],
      [["toString"], /Unknown command[\s\S]*Usage:/],
      [["key:list", "--wrong"], /--wrong[\s\S]*Usage:/],
    ]),
  ];
  await inParallel(rows.length, 3, async (index) => {
    const [args = [], words = /./] = rows[index] ?? [];
    assert.match(await refusal(cli(...args)), words, args.join(" "));
  });
});

test("help is printed without any settings", async () => {
  const { code, out } = await cliOn({ host: "", port: 0, database: "", user: "", password: "" })("--help");
  assert.equal(code, 0);
  assert.match(out, /key:create EMAIL/);
});

test("an unreachable database is reported without the password", async (t) => {
  const { settings } = await createTestDatabase(t);
  const words = await refusal(cliOn({ ...settings, host: "127.0.0.1", port: 1, password: "geheim" })("key:list"));
  assert.match(words, /database is unavailable/);
  assert.doesNotMatch(words, /geheim/);
});

longTest("an invitation is created, listed and revoked; only the link is on stdout", async (t) => {
  const { settings, pool } = await createTestDatabase(t);
  const cli = cliOn(settings, { WEB_PUBLIC_URL: "https://dashboard.example.com" });
  const { code, out, words } = await cli("invite", "Ada@Example.test", "--plan", "pro", "--expires", "2199-01-01T00:00:00Z");
  assert.equal(code, 0, words);
  assert.match(out, /^https:\/\/dashboard\.example\.com\/sign-up\?invitation=[\w-]{32}\n$/);
  assert.ok(!words.includes(out.trim().slice(-32)));
  const { rows } = await pool.query("select * from invitations");
  assert.deepEqual([rows.length, rows[0].email, rows[0].plan_id], [1, "ada@example.test", "pro"]);
  assert.deepEqual(rows[0].expires_at, new Date("2199-01-01T00:00:00Z"));
  assert.match((await cli("invite:list")).out, /\tada@example\.test\tpro\tpending\t-\t2199-01-01/);
  assert.equal((await cli("invite:revoke", rows[0].id)).code, 0);
  assert.match((await cli("invite:list")).out, /\trevoked\t/);
  assert.match(await refusal(cli("invite:revoke", rows[0].id)), /no pending invitation/);
  assert.match(await refusal(cli("invite:revoke", "7")), /no such invitation/);
  assert.match(await refusal(cli("invite", "--plan", "gold")), /no plan "gold"; the plans are free, pro, enterprise/);
  assert.match(await refusal(cli("invite", "ada")), /"ada" is not an e-mail address/);
  const closed = cliOn(settings, { SIGN_UP: "closed" });
  assert.match(await refusal(closed("invite")), /SIGN_UP is set to closed; use user:create/);
});

test("user:reset-link prints only a link to stdout; user:confirm confirms the address", async (t) => {
  const { pool, settings } = await createTestDatabase(t);
  const cli = cliOn(settings, { WEB_PUBLIC_URL: "https://shots.example.com" });
  await cli("user:create", "ada@example.test");
  const { code, out, words } = await cli("user:reset-link", "ada@example.test");
  assert.equal(code, 0, words);
  assert.match(out, /^https:\/\/shots\.example\.com\/reset-password\?token=[\w-]{32}\n$/);
  assert.match(words, /works once, for an hour/);
  assert.equal((await cli("user:confirm", "ada@example.test")).code, 0);
  assert.deepEqual((await pool.query("select email_verified from users")).rows, [{ email_verified: true }]);
  assert.match((await cli("user:reset-second-factor", "ada@example.test")).words, /all sessions have ended/);
  assert.match(await refusal(cli("user:reset-link", "nobody@example.test")), /does not exist/);
  assert.match(await refusal(cli("user:confirm", "nobody@example.test")), /does not exist/);
});
