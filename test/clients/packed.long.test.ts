/** The TypeScript client as users get it: the package's contents, its README's examples, and every supported runtime. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { startChild } from "../../scripts/stack/child.ts";
import { root } from "../../scripts/stack/folders.ts";
import { freePort } from "../../scripts/stack/ports.ts";
import { describeImage } from "../support/image.ts";
import { fileScope, type Scope } from "../support/scope.ts";
import { startService } from "../support/service.ts";
import { createSite } from "../support/site.ts";
import { expectedOfEveryFace, page, signingSecretOf } from "./expected.ts";
import { installClient, runtimes } from "./package.ts";
import { samplesIn } from "./samples.ts";

const scope = fileScope();
const run = promisify(execFile);
const site = await createSite(scope, { "/": page, "/pricing": page });
const client = await installClient(scope);
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, WEBHOOK_ALLOW_HTTP: "true", SCREENSHOT_TIMEOUT: "90000" });
const npx = join(dirname(process.env.npm_execpath ?? ""), "npx-cli.js");
const readme = "clients/typescript/README.md";

async function emptyFolder(t: Scope): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tintype-empty-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The test's pages and service, in place of those that a sample names. */
function adapted(sample: string, key: string): string {
  return sample
    .replaceAll("https://screenshots.example.com", service.origin)
    .replaceAll("https://example.com", site.origin)
    .replaceAll(/\bss_…/g, key);
}

async function sent(key: string, path: string, body: object): Promise<{ id: string }> {
  const headers = { "content-type": "application/json", "x-api-key": key };
  return (await (await fetch(`${service.origin}${path}`, { method: "POST", headers, body: JSON.stringify(body) })).json()) as {
    id: string;
  };
}

test("the package contains only the built modules, types, license and README", async () => {
  const paths = await readdir(client.package, { recursive: true, withFileTypes: true });
  const files = paths.filter((entry) => entry.isFile()).map((entry) => relative(client.package, join(entry.parentPath, entry.name)));
  const unbuilt = files.filter((file) => !/^dist\/.*\.(js|d\.ts)$/.test(file)).sort();
  assert.deepEqual(unbuilt, ["LICENSE", "README.md", "package.json"]);
  assert.equal(await readFile(join(client.package, "LICENSE"), "utf8"), await readFile(join(root, "LICENSE"), "utf8"));
  const { dependencies, scripts } = JSON.parse(await readFile(join(client.package, "package.json"), "utf8"));
  assert.equal(dependencies, undefined);
  assert.ok(!["preinstall", "install", "postinstall"].some((name) => name in scripts));
});

test("the program in its README runs as printed", async (t) => {
  const { key } = await service.createAccount();
  const { id } = await sent(key, "/v1/batches", { captures: [{ url: `${site.origin}/` }] });
  const sample = (await samplesIn("ts")).get(readme) ?? "";
  const given = "const signal = AbortSignal.timeout(60_000);";
  const told = "console.log(JSON.stringify([data.length > 0, verdict.kind, cache, warnings, status, outputs?.length, TintypeError.name]));";
  const folder = await emptyFolder(t);
  await cp(join(client.folder, "node_modules"), join(folder, "node_modules"), { recursive: true });
  await writeFile(join(folder, "main.mts"), [given, adapted(sample, key).replace("results(id)", `results("${id}")`), told].join("\n"));
  const { stdout } = await run(process.execPath, ["main.mts"], { cwd: folder, env: { TINTYPE_KEY: key } });
  const [batch, result] = stdout.trim().split("\n");
  assert.match(batch ?? "", /^127\.0\.0\.1-\d+ http/);
  assert.deepEqual(JSON.parse(result ?? ""), [true, "ok", "MISS", [], "done", 2, "TintypeError"]);
});

test("the commands in its README run as printed, with npx in a folder where it is installed", async (t) => {
  const { key } = await service.createAccount();
  const { id } = await sent(key, "/v1/watches", { url: `${site.origin}/`, every: "30d" });
  const blocks = [...(await readFile(join(root, readme), "utf8")).matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  const commands = blocks.filter((block) => block.includes("npx tintype"));
  assert.equal(commands.length, 1);
  const folder = await emptyFolder(t);
  await cp(join(client.folder, "node_modules"), join(folder, "node_modules"), { recursive: true });
  await writeFile(join(folder, "urls.txt"), `${site.origin}/\n${site.origin}/pricing\n`);
  const state = { cookies: [{ name: "user", value: "7", domain: "127.0.0.1", path: "/" }], origins: [] };
  await writeFile(join(folder, "shop.json"), JSON.stringify({ name: "shop", state }));
  const bucket = { name: "archive", endpoint: `${site.origin}/`, bucket: "shots", access_key_id: "id", secret_access_key: "secret" };
  await writeFile(join(folder, "bucket.json"), JSON.stringify(bucket));
  const shell = `set -eu\nnpx() { "${process.execPath}" "${npx}" "$@"; }\n${adapted(commands.join("\n"), key).replaceAll(/019ab9c2-[-0-9a-f]+/g, id)}`;
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder, npm_config_offline: "true" };
  const { stdout } = await run("bash", ["-c", shell], { cwd: folder, env }).catch(({ stdout, stderr }) => assert.fail(stdout + stderr));
  assert.equal(describeImage(await readFile(join(folder, "page.png"))).type, "png");
  assert.equal((await readdir(join(folder, "screenshots"))).filter((name) => name.endsWith(".webp")).length, 2);
  assert.match(stdout, /^ID\tSTATUS\tCREATED/m);
});

test("npx runs the command from the packed file in an empty folder, and leaves nothing behind", async (t) => {
  const { key } = await service.createAccount();
  const [folder, home] = [await emptyFolder(t), await emptyFolder(t)];
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    npm_config_offline: "true",
    TINTYPE_URL: service.origin,
    TINTYPE_KEY: key,
  };
  const args = [npx, "--yes", `--package=${client.tarball}`, "tintype", "take", `${site.origin}/`, "--format=png", "--width=60"];
  const { stdout } = await run(process.execPath, args, { cwd: folder, env, encoding: "buffer" });
  assert.equal(describeImage(stdout).type, "png");
  assert.deepEqual(await readdir(folder), []);
});

const program = (settings: object) => `import * as client from "@tintype/client";
  import { everyFace } from "./every-face.mjs";
  console.log(JSON.stringify(await everyFace(client, ${JSON.stringify(settings)})));`;

async function settings() {
  const { key } = await service.createAccount();
  return { url: service.origin, key, secret: await signingSecretOf(service, key), page: `${site.origin}/` };
}

for (const [name, args] of [
  ["node22", []],
  ["node24", []],
  ["deno", ["run", "--no-remote", "--node-modules-dir=manual", "--allow-net=127.0.0.1"]],
  ["bun", ["run"]],
] as const)
  test(`every call of the installed client works in ${name}`, async (t) => {
    const [folder, home] = [await emptyFolder(t), await emptyFolder(t)];
    await cp(client.folder, folder, { recursive: true, verbatimSymlinks: true });
    await cp(join(root, "test/clients/every-face.mjs"), join(folder, "every-face.mjs"));
    await writeFile(join(folder, "main.mjs"), program(await settings()));
    const { stdout } = await run((await runtimes())[name], [...args, "main.mjs"], { cwd: folder, env: { HOME: home } });
    assert.deepEqual(JSON.parse(stdout), expectedOfEveryFace(site));
  });

test("every call of the installed client works in an edge worker", async (t) => {
  const folder = await emptyFolder(t);
  await cp(join(client.package, "dist"), join(folder, "client"), { recursive: true });
  await cp(join(root, "test/clients/every-face.mjs"), join(folder, "every-face.mjs"));
  const worker = `import * as client from "./client/index.js";
    import { everyFace } from "./every-face.mjs";
    export default { async fetch(request) { return Response.json(await everyFace(client, await request.json())); } };`;
  await writeFile(join(folder, "worker.mjs"), worker);
  const built = (await readdir(join(folder, "client"))).filter((name) => name.endsWith(".js")).map((name) => `client/${name}`);
  const modules = ["worker.mjs", "every-face.mjs", ...built].map((file) => `(name = "${file}", esModule = embed "${file}")`);
  const port = await freePort();
  const config = `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [(name = "main", worker = .main), (name = "internet", network = (allow = ["public", "private"]))],
      sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]);
    const main :Workerd.Worker = (compatibilityDate = "2026-11-01", modules = [${modules.join(", ")}]);`;
  await writeFile(join(folder, "worker.capnp"), config);
  const child = startChild([(await runtimes()).workerd, "serve", "worker.capnp"], { cwd: folder });
  t.after(() => child.stop("SIGTERM", 5_000));
  const ask = async () => await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: JSON.stringify(await settings()) });
  let answer = await ask().catch(() => undefined);
  while (!answer && child.running()) answer = await ask().catch(() => undefined);
  assert.equal(answer?.status, 200, child.output());
  assert.deepEqual(await answer?.json(), expectedOfEveryFace(site));
});
