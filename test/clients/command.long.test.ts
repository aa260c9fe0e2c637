/**
 * The `tintype` command, installed as users install it, with Node 20: single screenshots, watches, lists from other sources, and its
 * errors.
 */

import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { lstat, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { test } from "node:test";
import { root } from "../../scripts/stack/folders.ts";
import { describeImage } from "../support/image.ts";
import { fileScope } from "../support/scope.ts";
import { startService } from "../support/service.ts";
import { createSite } from "../support/site.ts";
import { page } from "./expected.ts";
import { installClient, node20 } from "./package.ts";

const scope = fileScope();
const site = await createSite(scope, { "/": page, "/two": page });
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, WEBHOOK_ALLOW_HTTP: "true", SCREENSHOT_TIMEOUT: "90000" });
const { folder, command } = await installClient(scope);
const node = await node20();
const { key } = await service.createAccount();
const url = `${site.origin}/`;

interface Ended {
  code: number;
  words: string;
  output: Buffer;
}

async function tintype(args: string[], { input = "", env = {} }: { input?: string; env?: Record<string, string> } = {}): Promise<Ended> {
  return await ended(
    spawn(node, [command, ...args], { cwd: folder, env: { TINTYPE_URL: service.origin, TINTYPE_KEY: key, ...env } }),
    input,
  );
}

async function ended(child: ChildProcessWithoutNullStreams, input = ""): Promise<Ended> {
  child.stdin.end(input);
  const [words, output, [code]] = await Promise.all([text(child.stderr), buffer(child.stdout), once(child, "close")]);
  return { code, words, output };
}

test("in a clone, npm run tintype is the same command, and files are relative to the caller's folder", async () => {
  const env = { ...process.env, CI: "true", INIT_CWD: folder, TINTYPE_URL: service.origin, TINTYPE_KEY: key };
  const { code, words } = await ended(
    spawn(process.execPath, ["scripts/boot.cjs", "tintype", "take", url, "-o", "of-a-clone.png"], { cwd: root, env }),
  );
  assert.equal(code, 0, words);
  assert.equal((await readFile(join(folder, "of-a-clone.png"))).toString("latin1", 1, 4), "PNG");
});

test("take saves a screenshot in the format of the file's name, or writes it to standard output", async () => {
  const file = join(folder, "new", "page.png");
  const { code, words } = await tintype(["take", url, "-o", file, "--width=200", "--height", "40", "--full-page", "--hide_selectors=#a"]);
  assert.equal(code, 0, words);
  const { type, width } = describeImage(await readFile(file));
  assert.deepEqual([type, width], ["png", 200]);
  await writeFile(join(folder, "key"), `${key}\n`);
  const piped = await tintype(["take", "--format=text", "--key-file=key", url], { env: { TINTYPE_KEY: "" } });
  assert.equal(piped.code, 0, piped.words);
  assert.match(piped.output.toString(), /Opening hours/);
  const card = await tintype(["take", "--html=<h1>A card</h1>", "--width=60", "--format=webp"]);
  assert.equal(describeImage(card.output).type, "webp", card.words);
});

test("take saves a file whose ending is no format's if --format is given", async () => {
  const { code, words } = await tintype(["take", url, "-o", "page.xyz", "--format=png", "--width=60"]);
  assert.equal(code, 0, words);
  assert.equal(describeImage(await readFile(join(folder, "page.xyz"))).type, "png");
});

test("a service that accepts connections and stays silent is named, and given up; one that captures for long is not", async () => {
  const silent = createServer(() => {});
  scope.after(() => silent.close());
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  const origin = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const [given, slow] = await Promise.all([
    tintype(["take", url, `--server=${origin}`]),
    tintype(["take", url, "--delay=12", "-o", "slow.png"]),
  ]);
  assert.match(given.words, new RegExp(`^${origin} has not answered for 10 s\\. Waiting for up to 120 s\\.\n`));
  assert.match(given.words, new RegExp(`\n${origin} can't be reached: it accepts connections but has not answered for 20 s\\. Is it`));
  assert.equal(given.code, 3);
  assert.match(slow.words, new RegExp(`^${service.origin} has not answered for 10 s`));
  assert.equal(slow.code, 0, slow.words);
});

test("take replaces a file atomically, and names a file that can't be written", async () => {
  await writeFile(join(folder, "kept.png"), "unchanged");
  // Limits files to one block of 512 bytes, which simulates a full disk.
  const limited = spawn("bash", ["-c", `trap "" XFSZ; ulimit -f 1; exec "$@"`, "-", node, command, "take", url, "-o", "kept.png"], {
    cwd: folder,
    env: { TINTYPE_URL: service.origin, TINTYPE_KEY: key },
  });
  const { code, words } = await ended(limited);
  assert.equal(code, 1, words);
  assert.match(words, /^kept\.png could not be saved: EFBIG.*\.$/m);
  assert.doesNotMatch(words, /\n {4}at /);
  assert.equal(await readFile(join(folder, "kept.png"), "utf8"), "unchanged");
  assert.equal((await readdir(folder)).filter((name) => name.startsWith("kept")).length, 1);
  const env = { TINTYPE_URL: service.origin, TINTYPE_KEY: key };
  const [full, unread] = [
    `${node} ${command} take ${url} > /dev/full`,
    `set -o pipefail; ${node} ${command} take ${url} --format=png --width=2000 | head -c 1`,
  ];
  const onFull = await ended(spawn("bash", ["-c", full], { cwd: folder, env }));
  assert.deepEqual([onFull.code, onFull.words], [1, "The result can't be written: ENOSPC: no space left on device, write.\n"]);
  const left = await ended(spawn("bash", ["-c", unread], { cwd: folder, env }));
  assert.ok(left.code === 0 || left.code === 141, String(left.code)); // small images fit into the pipe
  assert.equal(left.words, "");
  await writeFile(join(folder, "private.png"), "x", { mode: 0o600 });
  assert.equal((await tintype(["take", url, "-o", "private.png"])).code, 0);
  assert.equal((await stat(join(folder, "private.png"))).mode & 0o777, 0o600);
  const toNull = await tintype(["take", url, "-o", "/dev/null"]);
  assert.equal(toNull.code, 0, toNull.words);
});

test("take writes through a symlink, even to a file that doesn't exist yet", async () => {
  await symlink("linked-to.png", join(folder, "link.png"));
  for (const width of [50, 60]) {
    const { code, words } = await tintype(["take", url, "-o", "link.png", `--width=${width}`]);
    assert.equal(code, 0, words);
    assert.ok((await lstat(join(folder, "link.png"))).isSymbolicLink());
    assert.equal(describeImage(await readFile(join(folder, "linked-to.png"))).width, width);
  }
});

test("mistakes are reported with a suggestion and an exit code before anything is sent", async () => {
  const cases: [args: string[], code: number, words: RegExp][] = [
    [["tkae", url], 2, /There is no command tkae \(did you mean take\?\)\. See tintype --help\./],
    [
      ["take", url, "--full_pgae"],
      2,
      /--full_pgae is not an option of this command \(did you mean --full_page\?\)\. See tintype take --help\./,
    ],
    [["take"], 2, /Give one URL/],
    [["take", url, "--width"], 2, /--width needs a value: --width=VALUE/],
    [["take", url, "--response_type=json"], 2, /--response_type is not an option/],
    [
      ["take", url, "-o", "page.xyz"],
      2,
      /^No format has the ending \.xyz: use \.jpg, \.png, .*\.jsonl, or add --format=NAME\. See tintype take/,
    ],
    [["take", url, "-o", "page.json"], 2, /^page\.json: add --format=metadata or --format=elements\./],
    [["watch", "ad", url], 2, /Give add, list, runs or remove, not ad \(did you mean add\?\)/],
    [["take", url, "--wait=soon"], 2, /--wait must be seconds/],
    [["take", url, "valueOf"], 2, /^Give one URL/],
    [["take", url, "--constructor=1"], 2, /^--constructor is not an option of this command/],
    [["take", url, "--__proto__=1"], 2, /^--__proto__ is not an option of this command/],
    [["batch", `--sitemap=${url}`, "--out=a-file"], 2, /^Files can't be saved in a-file: EEXIST.* See tintype batch --help\.\n$/],
    [["take", url, "-x"], 2, /^-x is not an option: names have two dashes, but for -o and -h\. See tintype take --help\.\n$/],
    [["take", url, "-o", ""], 2, /^-o needs the name of a file\./],
    [["take", url, "-o", folder], 2, /is a folder: give the name of a file in it\./],
    [["take", url, "-o", "new-folder/"], 2, /^new-folder\/ is a folder/],
    [["take", url, "--server=https://user:secret@127.0.0.1"], 2, /^The service's URL must have no user name and no password\. See/],
    [["take", url, "--width=0"], 3, /width must be an integer from 1 to 3840, not 0/],
    [["take", url, "--selector=#nowhere"], 1, /No visible element on the page matches the selector/],
    [["session", "sign_in", "shop"], 2, /^Give add, list, sign-in or remove, not sign_in \(did you mean sign-in\?\)/],
    [["session", "add", "a-file"], 2, /^a-file is not a JSON object\. See tintype session --help\.\n$/],
    [["session", "remove", "a/b"], 2, /^A NAME is as `tintype session list` prints it/],
    [["watch", "runs", "a b"], 2, /^An ID is as `tintype watch list` prints it, not "a b"\. See tintype watch --help\.\n$/],
    [["take", "ftp://example.com"], 3, /^url has the scheme ftp; only http and https/],
    [["take", "http://127.0.0.1:9/"], 1, /^The target.s address is blocked|127\.0\.0\.1:9/],
    [["take", url, "--key-file=wrong-key"], 3, /^The API key is not valid/],
    [["take", url, "--server=http://127.0.0.1:2", "--wait=1"], 3, /http:\/\/127\.0\.0\.1:2 can't be reached: .*ECONNREFUSED/],
  ];
  await writeFile(join(folder, "a-file"), "not a folder");
  await writeFile(join(folder, "wrong-key"), "ss_wrong");
  for (const [args, code, words] of cases) {
    const ended = await tintype(args);
    assert.match(ended.words, words);
    assert.equal(ended.code, code, ended.words);
  }
  for (const name of ["take", "batch", "watch", "session", "destination", ""]) {
    const help = await tintype([name, "--help"].filter(Boolean));
    assert.deepEqual([help.code, help.words], [0, ""]);
    assert.match(help.output.toString(), new RegExp(`^Usage: tintype ${name || "COMMAND"}[^]*\nExit codes:\n  0 [^]*\n  130 `));
  }
});

test("watch adds, lists and removes watches, and lists their runs", async () => {
  const given = ["--every=30d", "--name=of a test", "--width=60", "--threshold=0.01", "--ignore_selectors=#clock", "--hide_selectors=#a"];
  const added = await tintype(["watch", "add", url, ...given]);
  assert.equal(added.code, 0, added.words);
  const id = added.output.toString().trim();
  const list = await tintype(["watch", "list"]);
  assert.deepEqual(list.output.toString().split("\n").slice(0, 2), ["ID\tSTATE\tSTATUS\tEVERY\tURL", `${id}\tactive\tnew\t30d\t${url}`]);
  const [watch] = (await tintype(["watch", "list", "--json"])).output
    .toString()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual([watch.name, watch.threshold, watch.ignore_selectors], ["of a test", 0.01, ["#clock"]]);
  const runs = await tintype(["watch", "runs", id]);
  assert.match(runs.output.toString(), /^ID\tSTATUS\tCREATED\tCHANGED\tWHAT\n/);
  assert.equal((await tintype(["watch", "remove", id])).words, `Removed ${id}.\n`);
  assert.equal((await tintype(["watch", "runs", id])).code, 3);
});

test("session saves a session from a file, lists, signs in and removes it", async () => {
  const state = { cookies: [{ name: "sid", value: "very-secret", domain: "example.com", path: "/" }] };
  await writeFile(join(folder, "shop.json"), JSON.stringify({ name: "shop", state }));
  const added = await tintype(["session", "add", "shop.json", "--name=store"]);
  assert.deepEqual([added.code, added.output.toString(), added.words], [0, "store\n", "Saved, for example.com.\n"]);
  const list = await tintype(["session", "list"]);
  assert.match(list.output.toString(), /^NAME\tVERSION\tSAVED\tHOSTS\tERROR\nstore\t1\t\S+\texample\.com\t\n$/);
  const again = await tintype(["session", "sign-in", "store"]);
  assert.deepEqual([again.code, again.words], [3, "name refers to the session store, which has no sign-in steps: save a new state.\n"]);
  await writeFile(join(folder, "steps.json"), JSON.stringify({ name: "steps", url, steps: [{ click: "#nowhere" }] }));
  const failed = await tintype(["session", "add", "steps.json"]);
  assert.deepEqual([failed.code, /^The session could not sign in: /.test(failed.words)], [1, true], failed.words);
  assert.equal((await tintype(["session", "remove", "store"])).words, "Removed store.\n");
  assert.equal((await tintype(["session", "remove", "store"])).code, 3);
});

test("destination saves a bucket from a file, lists, tests and removes it", async () => {
  const bucket = { name: "archive", endpoint: url, bucket: "shots", access_key_id: "very-secret-id", secret_access_key: "very-secret" };
  await writeFile(join(folder, "bucket.json"), JSON.stringify(bucket));
  const added = await tintype(["destination", "add", "bucket.json"]);
  assert.deepEqual([added.code, added.output.toString()], [0, "archive\n"], added.words);
  const tested = await tintype(["destination", "test", "archive"]);
  assert.deepEqual([tested.code, tested.words.includes("very-secret")], [1, false], tested.words);
  const list = await tintype(["destination", "list"]);
  assert.match(list.output.toString(), /^NAME\tBUCKET\tENDPOINT\tCOPIED\tERROR\narchive\tshots\thttp:\S+\t\t\S.*\n$/);
  assert.equal((await tintype(["destination", "remove", "archive"])).words, "Removed archive.\n");
  assert.equal((await tintype(["destination", "test", "archive"])).code, 3);
});

test("batch reads a list from standard input, and the pages of a sitemap", async () => {
  const input = `\ufeff${url}\r# no\r\n\n${url}two\n`;
  const listed = await tintype(["batch", "-", "--out=listed", "--width=60", "--format=png"], { input });
  assert.equal(listed.code, 0, listed.words);
  assert.equal((await readdir(join(folder, "listed"))).length, 2);
  const wrong = await tintype(["batch", "-", "--out=listed"], { input: `${url}\n\n# no\nftp://example.com/\n` });
  assert.deepEqual([wrong.code, /^line 4 .*http/.test(wrong.words)], [3, true], wrong.words);
  site.serve({
    "/sitemap.xml": `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${url}</loc></url><url><loc>${url}two</loc></url></urlset>`,
  });
  const mapped = await tintype(["batch", `--sitemap=${url}sitemap.xml`, "--limit=1", "--out=mapped", "--width=60"]);
  assert.equal(mapped.code, 0, mapped.words);
  assert.equal((await readdir(join(folder, "mapped"))).length, 1);
});

test("batch follows the links of a site, and says what it left out", async () => {
  site.serve({
    "/robots.txt": "User-agent: tintype\nDisallow: /crawled/private",
    "/crawled/": '<a href="one">one</a><a href="private">private</a><a href="print/1">print</a><a href="old/1">old</a>',
    "/crawled/one": '<a href="two">two</a>',
    "/crawled/two": '<a href="three">three</a>',
    "/crawled/three": "the end",
  });
  const patterns = ["--exclude=*/print/*", "--exclude=*/old/*"];
  const crawled = await tintype(["batch", `--crawl=${url}crawled/`, "--depth=2", "--limit=9", ...patterns, "--out=site", "--width=60"]);
  assert.equal(crawled.code, 0, crawled.words);
  assert.equal((await readdir(join(folder, "site"))).length, 3);
  assert.match(crawled.words, /^Batch \S+: pages of http\S+\/crawled\/\.\n/);
  assert.match(crawled.words, /3 of 3 captures are saved in site\.\nLeft out: 2 excluded, 1 robots, 1 depth\.\n$/);
  assert.match((await tintype(["batch", "-", "--depth=2", "--out=x"])).words, /^--depth is for --crawl only\./);
});
