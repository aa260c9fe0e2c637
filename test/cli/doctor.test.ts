/** The `doctor` command: its report on a healthy installation, and on a fault in each part. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { missingFonts } from "../../src/cli/doctor/fonts.ts";
import { longOnly } from "../support/long-only.ts";
import { startProxy } from "../support/proxies.ts";
import { fileScope } from "../support/scope.ts";
import { startService } from "../support/service.ts";
import { createSite } from "../support/site.ts";
import { cliOn } from "./cli.ts";

const longTest = longOnly(test);
const scope = fileScope();
const site = await createSite(scope, { "/": "<h1>Open" });
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });

const names = ["LD_LIBRARY_PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "HOME", "TMPDIR", "PATH"];
const system = Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] as string]])));

/** Runs it with the service's settings and `changes`. */
async function doctor(changes: Record<string, string>, ...args: string[]) {
  const url = new URL(service.env.DATABASE_URL ?? "");
  const { hostname: host, port, username: user, password } = url;
  const settings = { host, port: Number(port), database: url.pathname.slice(1), user, password };
  return await cliOn(settings, { ...system, ...service.env, DATABASE_URL: "", ...changes })("doctor", ...args);
}

test("a healthy installation passes each check, and a reachable page is reported as reachable", async () => {
  const { code, out, words } = await doctor({}, `${site.origin}/`);
  assert.equal(code, 0, out + words);
  for (const line of [/^ok +settings +valid$/m, /^ok +database +PostgreSQL \d+.*; the clocks agree$/m, /^ok +redis +reads and writes$/m])
    assert.match(out, line);
  assert.match(out, /^ok +storage +reads, writes and removes in file:/m);
  assert.match(
    out,
    /^(ok +browser +Chromium renders pages in its sandbox|warning +browser +Chromium renders pages, but without its sandbox)$/m,
  );
  assert.match(out, /^(ok|warning) +fonts/m);
  assert.match(out, new RegExp(`^ok +egress +the cloud metadata address is refused; ${site.host} is reachable$`, "m"));
  assert.match(out, /No problems found that would keep the service from working/);
});

test("each failed check says what to do, and the others still run", async () => {
  const { code, out } = await doctor(
    { DATABASE_PORT: "1", REDIS_URL: "redis://127.0.0.1:1", STORAGE_URL: "http://127.0.0.1:1", PUPPETEER_EXECUTABLE_PATH: "/no/chromium" },
    "http://127.0.0.1:1/",
  );
  assert.equal(code, 1);
  assert.match(out, /^FAILED +database +127\.0\.0\.1:1: .*ECONNREFUSED.*\n +Check the DATABASE_ settings/m);
  assert.match(out, /^warning +redis +.*ECONNREFUSED.*\n +Check REDIS_URL/m);
  assert.match(out, /^FAILED +storage +.*\n +Check the STORAGE_ settings/m);
  assert.match(
    out,
    /^4 checks failed\. Fix the problems in this order, then run doctor again:\n +1\. database: Check the .*\n +2\. storage: Check the .*\n +3\. browser: /m,
  );
  assert.match(out, /^FAILED +browser +.*PUPPETEER_EXECUTABLE_PATH/m);
  assert.match(out, /^FAILED +egress +127\.0\.0\.1:1: .*\n +Check this machine's DNS/m);
});

test("without fonts, the affected writing systems are named, with the command that installs some", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "tintype-fonts-"));
  t.after(() => rm(folder, { recursive: true }));
  const config = join(folder, "fonts.conf");
  await writeFile(config, `<fontconfig><dir>${folder}</dir><cachedir>${folder}</cachedir></fontconfig>`);
  const { out } = await doctor({ FONTCONFIG_FILE: config, PUPPETEER_EXECUTABLE_PATH: "/no/chromium", MAX_CONCURRENT_SCREENSHOTS: "1" });
  assert.match(out, /^ok +memory +1 capture at a time needs 210 MB of \d+ MB$/m);
  assert.match(
    out,
    /^warning +fonts +no fonts for Chinese, .*, emoji: their characters will appear as boxes\n +Install fonts, .*apt-get install .*fonts-noto-color-emoji\.$/m,
  );
});

test("DejaVu's faces in black and white don't count as emoji", async (t) => {
  const fonts = "/usr/share/fonts/truetype/dejavu";
  if (!existsSync(fonts)) return t.skip(`there is no ${fonts}`);
  const folder = await mkdtemp(join(tmpdir(), "tintype-fonts-"));
  t.after(() => rm(folder, { recursive: true }));
  const config = join(folder, "fonts.conf");
  await writeFile(config, `<fontconfig><dir>${fonts}</dir><cachedir>${folder}</cachedir></fontconfig>`);
  assert.deepEqual(await missingFonts({ ...process.env, FONTCONFIG_FILE: config }), ["Chinese", "Japanese", "Korean", "Hindi", "emoji"]);
});

longTest("a missing partition for the coming weeks is a warning", async () => {
  const next = new Date(new Date().setUTCMonth(new Date().getUTCMonth() + 1, 1)).toISOString().slice(0, 7).replace("-", "_");
  await service.pool.query("delete from screenshot_months where name = $1", [`screenshots_${next}`]);
  const { code, out } = await doctor({});
  assert.equal(code, 0, out);
  assert.match(
    out,
    new RegExp(
      `^warning +database +screenshots have no partition screenshots_${next} for the next month\\n +Run "node src/cli.ts migrate"`,
      "m",
    ),
  );
});

test("all settings that prevent startup are listed, in the schema's order", async () => {
  const { code, out } = await doctor({ PORT: "none", AUTH_SECRET: "", STORAGE_BUCKET: "", MAX_WATCHES: "-1" });
  assert.equal(code, 1);
  assert.match(out, /^FAILED +settings +4 problems\. Fix them in this order/m);
  assert.match(out, /1\. PORT is "none".*\n +2\. AUTH_SECRET is missing.*\n +3\. STORAGE_BUCKET is missing.*\n +4\. MAX_WATCHES/);
  assert.match(out, /openssl rand -hex 32/);
  assert.match((await doctor({ PORT: "none" })).out, /^FAILED +settings +1 problem\. Fix it first/m);
});

test("without any settings, it says to copy the example", async () => {
  const { out } = await doctor(Object.fromEntries(Object.keys(service.env).map((name) => [name, ""])));
  assert.match(out, /1\. NODE_ENV is missing[\s\S]*copy \.env\.example to \.env/);
});

test("values copied from the example are a warning", async () => {
  const { out } = await doctor({ ROLE: "api", STORAGE_SECRET_ACCESS_KEY: "change-me" });
  assert.match(out, /^warning +settings +.*STORAGE_SECRET_ACCESS_KEY\n +Replace change-me/m);
});

test("an allowed range that contains a cloud metadata address is a failure", async () => {
  const { code, out } = await doctor({ EGRESS_ALLOWED_HOSTS: "169.254.0.0/16", ROLE: "api" });
  assert.equal(code, 1, out);
  assert.match(out, /^FAILED +egress +pages may reach 169\.254\.169\.254/m);
  assert.match(
    out,
    /^1 check failed\. Fix the problem, then run doctor again:\n +1\. egress: Remove the entry that contains 169\.254\.169\.254/m,
  );
  assert.doesNotMatch(out, /browser/);
});

longTest("an argument that is not a page's URL is rejected", async () => {
  for (const args of [["ftp://example.com/"], ["nonsense"], ["https://example.com/", "https://example.org/"]]) {
    const { code, words } = await doctor({}, ...args);
    assert.equal(code, 1);
    assert.match(words, /doctor takes at most one argument/);
  }
});

longTest("each proxy is reached, and connects to the page if there is one; passwords are not printed", async (t) => {
  const login = { user: "ada", password: "pr0xy-s3cret" };
  const [http, socks] = [await startProxy(t, "http", login), await startProxy(t, "socks5", login)];
  const healthy = `de=${http.url} jp=${socks.url}`;
  const page = `${site.origin}/`;
  assert.match((await doctor({ PROXIES: healthy }, page)).out, new RegExp(`^ok +proxies +2 proxies can connect to ${site.host}$`, "m"));
  assert.deepEqual([http.asked, socks.asked], [[site.host], [site.host]]);
  assert.match((await doctor({ PROXIES: healthy })).out, /^ok +proxies +2 proxies can be reached; .* through them$/m);
  const faulty = `${healthy} fr=http://127.0.0.1:1 us=${http.url.replace("pr0xy", "other")} gb=${socks.url.replace("socks5", "http")}`;
  const { out, words } = await doctor({ PROXIES: faulty }, page);
  const problems =
    "fr: the proxy can't be reached; us: the proxy refuses the user name and password; gb: the proxy closed the connection, or does not speak";
  assert.match(out, new RegExp(`^warning +proxies +${problems}.*\\n.* Captures that don't use them work\\.$`, "m"));
  const one = { PROXIES: `de=${http.url}`, ROLE: "api" };
  assert.match((await doctor(one)).out, /^ok +proxies +1 proxy can be reached; pass a URL to test connections through it$/m);
  assert.match((await doctor(one, page)).out, new RegExp(`^ok +proxies +1 proxy can connect to ${site.host}$`, "m"));
  assert.ok(!`${out}${words}`.includes("s3cret"));
});
