/** `npm run local -- --once`, run as a user would run it. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { runProgram } from "../../scripts/stack/child.ts";
import { createTestDatabase } from "../support/database.ts";
import { longOnly, onlyLong } from "../support/long-only.ts";
import { createSite } from "../support/site.ts";

const longTest = longOnly(test);
const script = fileURLToPath(new URL("../../scripts/local.ts", import.meta.url));

/** Resolves with what it printed. The stores are the tests' own, so that only the service is started. */
async function once(t: TestContext, url: string, file: string, allowedHosts: string, ...options: string[]): Promise<string> {
  const { settings } = await createTestDatabase(t);
  const { user, password, host, port, database } = settings;
  const env = {
    ...process.env,
    DATABASE_URL: `postgresql://${user}:${password || "unused"}@${host}:${port}/${database}`,
    REDIS_URL: process.env.TEST_REDIS_URL,
    PUPPETEER_EXECUTABLE_PATH: process.env.TEST_CHROMIUM,
    EGRESS_ALLOWED_HOSTS: allowedHosts,
  };
  return runProgram([process.execPath, script, ...options, "--once", url, file], { env, timeoutMs: 100_000, signal: t.signal });
}

function imageFile(t: TestContext, name = "screenshot.jpg"): string {
  const folder = mkdtempSync(join(tmpdir(), "tintype-once-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, name);
}

test("takes one screenshot and writes it to the file", async (t) => {
  const site = await createSite(t, { "/": "<h1>Hello</h1>" });
  const file = imageFile(t);
  assert.match(await once(t, `${site.origin}/`, file, site.host), /screenshot\.jpg: \d+ bytes, image\/jpeg$/);
  assert.deepEqual([...readFileSync(file).subarray(0, 3)], [0xff, 0xd8, 0xff]);
});

for (const [extension, type, start] of onlyLong<[extension: string, type: string, start: string]>([
  ["pdf", "application/pdf", "%PDF-"],
  ["md", "text/markdown; charset=utf-8", "# Hello"],
]))
  test(`a file name that ends in .${extension} selects that kind of document`, async (t) => {
    const site = await createSite(t, { "/": "<article><h1>Hello</h1><p>Opening hours: nine to five, Monday to Friday" });
    const file = imageFile(t, `page.${extension}`);
    const printed = await once(t, `${site.origin}/`, file, site.host);
    assert.ok(printed.endsWith(` bytes, ${type}`), printed);
    const content = readFileSync(file, "utf8");
    assert.ok(content.startsWith(start), content.slice(0, 100));
  });

test("a file name with an unknown extension is rejected before anything starts; the error lists the valid ones", async (t) => {
  const site = await createSite(t, { "/": "<h1>Hello</h1>" });
  await assert.rejects(
    once(t, `${site.origin}/`, imageFile(t, "page.bmp"), site.host),
    /page\.bmp must end in one of \.jpg, \.png, .*\.pdf, \.html, \.mhtml, \.txt, \.md, .* not in \.bmp\./,
  );
  assert.deepEqual(site.requests, []);
});

longTest("a failed screenshot: prints the service's message and doesn't write a file", async (t) => {
  const site = await createSite(t, { "/": "<h1>Hello</h1>" });
  const file = imageFile(t);
  await assert.rejects(once(t, `${site.origin}/`, file, ""), /400: The target's address is blocked\./);
  assert.throws(() => readFileSync(file), { code: "ENOENT" });
  assert.deepEqual(site.requests, []);
});

longTest("a page on this machine is refused unless its port is allowed; the error states the command that allows it", async (t) => {
  const { port } = new URL((await createSite(t, { "/": "<h1>Hello</h1>" })).origin);
  const url = `http://localhost:${port}/it's?a=1&b=2`;
  const hint = `npm run local -- --allow ${port} --once 'http://localhost:${port}/it%27s?a=1&b=2'`;
  await assert.rejects(once(t, url, imageFile(t), "10.0.0.1", "--allow", "9"), ({ message }: Error) => message.includes(hint));
});

longTest("--allow: a page on an allowed port of this machine is captured", async (t) => {
  const { port } = new URL((await createSite(t, { "/": "<h1>Hello</h1>" })).origin);
  assert.match(await once(t, `http://localhost:${port}/`, imageFile(t), "", "--allow", port), /screenshot\.jpg: \d+ bytes/);
});

for (const name of ["PORT", ...onlyLong(["WEB_PORT"])]) {
  test(`an invalid ${name}: the error names it`, async (t) => {
    const env = { ...process.env, [name]: "none" };
    const run = runProgram([process.execPath, script], { env, timeoutMs: 60_000, signal: t.signal });
    await assert.rejects(run, { message: `${name} is "none"; it must be an integer from 1 to 65535.` });
  });
}
