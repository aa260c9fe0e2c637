/** Jobs go to workers that have a browser available for them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { freePort } from "../../scripts/stack/ports.ts";
import { eventually } from "../support/eventually.ts";
import { spawnServer } from "../support/process.ts";
import { startService } from "../support/service.ts";
import { closedPage, colouredPage, createSite } from "../support/site.ts";

test("a worker whose browser is held by a slow page takes no other job: all others go to the idle worker", {
  timeout: 240_000,
}, async (t) => {
  const site = await createSite(t, { "/": colouredPage("#00ff00") });
  const slow = closedPage(site, "/slow");
  const patient = { SCREENSHOT_TIMEOUT: "90000", MAX_PAGE_LOAD_TIMEOUT: "90000" };
  const api = await startService(t, { EGRESS_ALLOWED_HOSTS: site.host, ROLE: "api", ...patient });
  const browser = { PUPPETEER_EXECUTABLE_PATH: process.env.TEST_CHROMIUM ?? "", MAX_CONCURRENT_SCREENSHOTS: "1" };
  for (const _ of [1, 2]) {
    const PORT = String(await freePort());
    const worker = spawnServer(t, { ...api.env, ...browser, ROLE: "worker", HOST: "127.0.0.1", PORT, ENABLE_METRICS: "false" });
    await worker.printed('"ready"');
  }
  const request = async (path: string) => {
    const { key } = await api.createAccount(); // an account of its own for each, because the number of jobs per account and process is limited
    return await api.take({ api_key: key, url: site.origin + path });
  };
  const held = request("/slow");
  await eventually("a browser is held", slow.requested);

  const queue = async () => {
    const { key } = await api.createAccount();
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ url: `${site.origin}/`, outputs: [{}], async: true });
    const { id } = await (await fetch(`${api.origin}/v1/captures`, { method: "POST", headers, body })).json();
    return (await (await fetch(`${api.origin}/v1/captures/${id}?wait=60`, { headers })).json()).status;
  };
  const [answers, queued] = await Promise.all([
    Promise.all([1, 2, 3, 4].map(() => request("/").then(({ status }) => status))),
    Promise.all([1, 2].map(queue)),
  ]);
  assert.deepEqual(answers, [200, 200, 200, 200]);
  assert.deepEqual(queued, ["done", "done"]);
  slow.open();
  assert.equal((await held).status, 200);
});
