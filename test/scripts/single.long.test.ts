/** The command of the all-in-one image, as a process with its own folder: output, first screenshot, and restart. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { root, toolsFolder } from "../../scripts/stack/folders.ts";
import { freePort } from "../../scripts/stack/ports.ts";
import { builtWeb } from "../../scripts/stack/web.ts";
import { describeImage } from "../support/image.ts";
import { fileScope, type Scope } from "../support/scope.ts";

const scope = fileScope();
const data = await mkdtemp(join(tmpdir(), "tintype-single-data-"));
const home = await mkdtemp(join(tmpdir(), "tintype-single-home-"));
await symlink(toolsFolder, join(data, "tools")); // the image contains its programs; here, they were downloaded
for (const folder of [data, home]) scope.after(() => rm(folder, { recursive: true, force: true }));
const web = await builtWeb(AbortSignal.timeout(300_000), () => {});
const [port, webPort] = [String(await freePort()), String(await freePort())];
const origin = `http://127.0.0.1:${port}`;
const env = {
  PATH: process.env.PATH,
  npm_execpath: process.env.npm_execpath,
  HOME: home,
  HOST: "127.0.0.1",
  WEB_LISTEN_HOST: "127.0.0.1",
  PORT: port,
  WEB_PORT: webPort,
  TINTYPE_DATA: data,
  TINTYPE_WEB: web,
  PUPPETEER_EXECUTABLE_PATH: process.env.TEST_CHROMIUM,
  CHROMIUM_SANDBOX: process.env.CHROMIUM_SANDBOX,
  LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH,
  FONTCONFIG_FILE: process.env.FONTCONFIG_FILE,
};

/** Resolves when it is ready; `printed` is everything that it printed until then. */
async function start(t: Scope) {
  const since = performance.now();
  const child = spawn(process.execPath, [join(root, "scripts/single.ts")], { env, stdio: ["ignore", "pipe", "pipe"] });
  const end = once(child, "exit");
  t.after(async () => {
    child.kill("SIGTERM");
    await end;
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += chunk));
  while (!printed.includes("service.log beside it")) {
    await Promise.race([once(child.stdout, "data"), end.then(() => assert.fail(`It ended:\n${printed}`))]);
  }
  return { printed, since, child, end };
}

async function take(key: string, text: string): Promise<Response> {
  const body = JSON.stringify({ html: `<h1>${text}</h1><p>Taken by the single image.</p>`, width: 320, height: 200, format: "png" });
  const headers = { "content-type": "application/json", "x-api-key": key };
  return await fetch(`${origin}/v1/screenshots/take`, { method: "POST", headers, body });
}

test("the single image introduces itself; its key takes a screenshot; keys, screenshots and password survive a restart, even after a kill", async (t) => {
  const first = await start(t);
  assert.match(
    first.printed,
    /^Tintype, as a single container with an embedded PostgreSQL and Redis: for trying it, and for small sites\./,
  );
  const key = /api_key=(\w+)/.exec(first.printed)?.[1] ?? "";
  const response = await take(key, "First");
  assert.equal(describeImage(Buffer.from(await response.arrayBuffer())).type, "png");
  t.diagnostic(`first image ${((performance.now() - first.since) / 1000).toFixed(1)} s after the start`);
  const id = response.headers.get("x-screenshot-id");
  assert.equal((await fetch(`http://127.0.0.1:${webPort}/`)).status, 200);
  const password = await readFile(join(data, "demo-password"), "utf8");
  first.child.kill("SIGTERM");
  assert.deepEqual(await first.end, [0, null]);

  const [postgres = ""] = (await readdir(data)).filter((name) => name.startsWith("postgres-"));
  // As a killed container leaves it, with a process id that now belongs to another process.
  await writeFile(join(data, postgres, "data", "postmaster.pid"), `${process.pid}\n`);
  await writeFile(join(data, "run.pid"), String(process.pid));
  const second = await start(t);
  assert.ok(!second.printed.includes(key) && !second.printed.includes(password.trim()), second.printed);
  const stored = await fetch(`${origin}/v1/screenshots/${id}/image`, { headers: { "x-api-key": key } });
  assert.equal(describeImage(Buffer.from(await stored.arrayBuffer())).type, "png");
  assert.equal((await take(key, "Second")).status, 200);
  assert.equal(await readFile(join(data, "demo-password"), "utf8"), password);
  assert.deepEqual(await readdir(home), []);
});
