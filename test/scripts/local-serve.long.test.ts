/** `npm run local -- --allow PORT` until Ctrl-C, as a process with its own folder: what it prints works. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { root, toolsFolder } from "../../scripts/stack/folders.ts";
import { freePort } from "../../scripts/stack/ports.ts";
import { describeImage } from "../support/image.ts";
import { colouredPage, createSite } from "../support/site.ts";
import { createVisitor, goodPassword } from "../support/visitor.ts";

test("the printed command captures a page on the allowed port, which also accepts webhooks; URLs have localhost", async (t) => {
  const site = await createSite(t, { "/": colouredPage("#0a7") });
  const data = await mkdtemp(join(tmpdir(), "tintype-local-"));
  t.after(() => rm(data, { recursive: true, force: true }));
  await symlink(toolsFolder, join(data, "tools"));
  const [port, webPort] = [await freePort(), await freePort()];
  const env = {
    ...process.env,
    NODE_ENV: "development",
    PORT: String(port),
    WEB_PORT: String(webPort),
    TINTYPE_DATA: data,
    PUPPETEER_EXECUTABLE_PATH: process.env.TEST_CHROMIUM,
  };
  const { port: sitePort } = new URL(site.origin);
  const child = spawn(process.execPath, [join(root, "scripts/local.ts"), "--allow", sitePort], { env, stdio: ["ignore", "pipe", "pipe"] });
  const end = once(child, "exit");
  t.after(async () => {
    child.kill("SIGTERM");
    await end;
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += chunk));
  while (!printed.includes("Ctrl-C stops everything."))
    await Promise.race([once(child.stdout, "data"), end.then(() => assert.fail(`It ended:\n${printed}`))]);

  const [, url = ""] = /curl --fail-with-body -o screenshot\.jpg '([^']+)'/.exec(printed) ?? [];
  assert.ok(url.startsWith(`http://localhost:${port}/v1/screenshots/take?api_key=ss_`), printed);
  assert.ok(url.endsWith(`&url=http://localhost:${sitePort}`), printed);
  const taken = await fetch(url);
  assert.equal(taken.status, 200, await taken.clone().text());
  assert.equal(describeImage(new Uint8Array(await taken.arrayBuffer())).type, "jpg");

  const [, dashboard = ""] = /Dashboard: (http:\/\/localhost:\d+), as demo@example\.com/.exec(printed) ?? [];
  assert.equal(dashboard, `http://localhost:${webPort}`);
  const page = await (await fetch(dashboard)).text();
  assert.ok(page.includes(`http://localhost:${port}`) && !page.includes("127.0.0.1"), page.slice(0, 2_000));
  const visitor = createVisitor({ origin: dashboard }, dashboard);
  await visitor.post("/v1/auth/sign-up", { name: "Ada", email: "ada@example.com", password: goodPassword });
  assert.equal((await visitor.get("/v1/account/webhooks")).body.allow_http, true);
});
