/** Recordings asked of an API process without a browser: a worker makes them, and its file arrives whole. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { motionFormats } from "../../src/shared/formats.ts";
import { fileScope } from "../support/scope.ts";
import { startReplica, startService, type TestService } from "../support/service.ts";
import { createSite } from "../support/site.ts";
import { startWorker } from "../support/worker.ts";

const scope = fileScope();

const page = `<!doctype html><style>@keyframes move { to { translate: 100px } } p { animation: move 0.5s }</style><p>It moves`;
const recording = { width: 200, height: 100, duration: 0.5, fps: 8, clock: "2026-01-31" };

const types = { gif: "image/gif", "webp-animation": "image/webp", webm: "video/webm", mp4: "video/mp4" };

test("each format is the same file from a worker, synchronously and from the queue, as from one process", async (t) => {
  const site = await createSite(scope, { "/": page });
  const api = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, ROLE: "api", PUPPETEER_EXECUTABLE_PATH: "/no/such/browser" });
  await startWorker(scope, api.env);
  const { key, userId } = await api.createAccount();
  const url = `${site.origin}/`;
  const take = async (service: TestService, format: string) => {
    const parameters = Object.entries({ ...recording, api_key: key, url, format }).map(([name, value]) => [name, String(value)]);
    const response = await service.take(Object.fromEntries(parameters));
    return { status: response.status, type: response.headers.get("content-type"), bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const queued = async (format: string) => {
    const { id } = (await api.send("POST", "/v1/captures", key, { url, async: true, outputs: [{ ...recording, format }] })).json;
    const { json } = await api.send("GET", `/v1/captures/${id}?wait=30`, key);
    assert.equal(json.status, "done", JSON.stringify(json));
    return Buffer.from(await (await fetch(json.outputs[0].url)).arrayBuffer());
  };
  const answers = new Map<string, Buffer[]>();
  for (const format of motionFormats) {
    const { status, type, bytes } = await take(api, format);
    if (status === 400 && /"codec_unavailable"/.test(bytes.toString())) t.diagnostic(`${format}: skipped, this Chromium lacks the codec`);
    else {
      assert.deepEqual([status, type], [200, types[format]], bytes.toString("latin1", 0, 500));
      answers.set(format, [bytes, await queued(format)]);
    }
  }
  assert.equal(await api.used(userId), answers.size * 2);
  // Only now: it would take jobs as well.
  const whole = await startReplica(scope, api, { ROLE: "all", PUPPETEER_EXECUTABLE_PATH: process.env.TEST_CHROMIUM ?? "" });
  for (const [format, files] of answers) {
    const { bytes } = await take(whole, format);
    assert.deepEqual(
      files.map((file) => file.equals(bytes)),
      [true, true],
      `${format}: ${bytes.length} bytes, and ${files.map(({ length }) => length)} from the worker`,
    );
  }
});
