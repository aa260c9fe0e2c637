/** `error_image` and `placeholder`: errors with an image as the body. */

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { documentFormats } from "../../../src/shared/formats.ts";
import { chromiumProcesses } from "../../browser/processes.ts";
import { eventually } from "../../support/eventually.ts";
import { describeImage, differingShare, pixelAt } from "../../support/image.ts";
import { longOnly, onlyLong } from "../../support/long-only.ts";
import { fileScope } from "../../support/scope.ts";
import { startService, type TestService } from "../../support/service.ts";
import { colouredPage, createSite, type Site } from "../../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
let site: Site;
let service: TestService;
let key: string;
let asked: Record<string, string>;

before(async () => {
  site = await createSite(scope, { "/": colouredPage("#ff0000"), "/reset": (request) => void request.socket.destroy() });
  service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
  ({ key } = await service.createAccount());
  asked = { api_key: key, url: `${site.origin}/reset`, error_image: "true", format: "png", width: "400", height: "300" };
});

/** Summary in the form `status code type width×height`. */
async function summaryOf(response: Response): Promise<string> {
  const { type, width, height } = describeImage(new Uint8Array(await response.arrayBuffer()));
  assert.equal(response.headers.get("content-type"), `image/${type === "jpg" ? "jpeg" : type}`);
  return `${response.status} ${response.headers.get("x-error-code")} ${type} ${width}×${height}`;
}

async function jsonCodeOf(response: Response): Promise<string> {
  assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
  const { code } = (await response.json()) as { code: string };
  assert.equal(response.headers.get("x-error-code"), code);
  return `${response.status} ${code}`;
}

test("error_image: the error keeps its status and headers; the body is an image with text, in the requested size and format", async () => {
  const response = await service.take(asked);
  assert.deepEqual([response.headers.get("cache-control"), response.headers.get("x-cache")], ["no-store", null]);
  assert.equal(await summaryOf(response.clone()), "400 connection_failed png 400×300");
  const blank = await service.take({ ...asked, placeholder: "f4f4f5" });
  const share = differingShare(new Uint8Array(await response.arrayBuffer()), new Uint8Array(await blank.arrayBuffer()));
  assert.ok(share > 0.005 && share < 0.5, `${share} of the image is text`);
});

longTest("error_image: all options that determine size and format apply", async () => {
  const summary = async (more: Record<string, string>) => await summaryOf(await service.take({ ...asked, ...more }));
  assert.equal(await summary({ format: "jpg", device_scale_factor: "2" }), "400 connection_failed jpg 800×600");
  assert.equal(await summary({ format: "webp", image_width: "100" }), "400 connection_failed webp 100×75");
  const clip = { clip_x: "0", clip_y: "0", clip_width: "120", clip_height: "90" };
  assert.equal(await summary(clip), "400 connection_failed png 120×90");
  assert.equal(await summary({ width: "", height: "", viewport_device: "iPhone 15" }), "400 connection_failed png 1179×1977");
  assert.equal(await summary({ width: "1", height: "1" }), "400 connection_failed png 1×1");
  const large = await summary({ width: "3840", height: "2160", device_scale_factor: "4" });
  assert.equal(large, "400 connection_failed png 3840×2160");
});

test("placeholder: a plain image in that color, even without error_image", async () => {
  for (const [placeholder, colour] of [
    ["#0a0", "#00aa00"],
    ["e5e7eb", "#e5e7eb"],
    ["00aa0080", "#00aa0080"],
  ] as const) {
    const response = await service.take({ ...asked, error_image: "false", placeholder });
    assert.equal(response.status, 400);
    const bytes = new Uint8Array(await response.arrayBuffer());
    for (const [x, y] of [
      [0, 0],
      [200, 150],
      [399, 299],
    ] as const)
      assert.equal(pixelAt(bytes, x, y), colour);
  }
  const wrong = await service.take({ ...asked, url: `${site.origin}/`, error_image: "false", placeholder: "green" });
  assert.match(
    ((await wrong.json()) as { error: string }).error,
    /placeholder must be a CSS hex color, with or without its #, not "green"/,
  );
});

test("error_image: errors about exceeded limits are images, too", async () => {
  const limited = await service.createAccount({ rateLimit: 1, quota: 0, plan: "pro" });
  const quota = await service.take({ ...asked, api_key: limited.key });
  assert.equal(await summaryOf(quota), "403 quota_exceeded png 400×300");
  const rate = await service.take({ ...asked, api_key: limited.key });
  assert.ok(Number(rate.headers.get("retry-after")) > 0);
  assert.equal(await summaryOf(rate), "429 rate_limited png 400×300");
});

test("error_image: if some parameters are invalid, the valid ones determine the image", async () => {
  assert.equal(await summaryOf(await service.take({ ...asked, format: "bmp", height: "-1" })), "400 invalid_parameters jpg 400×720");
  assert.equal(await summaryOf(await service.take({ ...asked, url: "nonsense" })), "400 invalid_url png 400×300");
});

test("error_image: without an accepted key, errors are JSON", async () => {
  const bound = await service.createAccount({ domains: ["example.com"] });
  assert.equal(await jsonCodeOf(await service.take({ ...asked, api_key: "ss_nonsense" })), "403 invalid_api_key");
  assert.equal(await jsonCodeOf(await service.take({ ...asked, api_key: "" })), "400 invalid_parameters");
  assert.equal(await jsonCodeOf(await service.take({ ...asked, api_key: bound.key })), "403 domain_not_allowed");
  assert.equal(await jsonCodeOf(await service.take({ ...asked, signature: "0".repeat(64) })), "403 signature_invalid");
});

test("error_image: requests for JSON get JSON", async () => {
  for (const response_type of ["json", "empty"])
    assert.equal(await jsonCodeOf(await service.take({ ...asked, response_type })), "400 connection_failed");
  assert.equal(await jsonCodeOf(await service.take({ ...asked, dry_run: "true", width: "many" })), "400 invalid_parameters");
});

test("error_image and placeholder: with a document format, errors are JSON", async () => {
  const ways: Record<string, string>[] = [{}, { error_image: "false", placeholder: "e5e7eb" }];
  for (const format of ["pdf", "text", ...onlyLong([...documentFormats])])
    for (const more of ways)
      assert.equal(await jsonCodeOf(await service.take({ ...asked, ...more, format })), "400 connection_failed", format);
  const description = await (await fetch(`${service.origin}/openapi.json`)).json();
  for (const name of ["error_image", "placeholder"]) {
    const option = description.paths["/v1/screenshots/take"].get.parameters.find((one: { name: string }) => one.name === name);
    assert.match(option.description, /JSON.*`format` that is not an image|`format` that is not an image.* JSON/, name);
  }
});

test("error_image: HEAD has the headers of GET and no body", async () => {
  const query = new URLSearchParams(asked);
  const head = await fetch(`${service.origin}/v1/screenshots/take?${query}`, { method: "HEAD" });
  const get = await service.take(asked);
  for (const name of ["content-type", "content-length", "x-error-code", "cache-control"])
    assert.equal(head.headers.get(name), get.headers.get(name), name);
  assert.deepEqual([head.status, (await head.arrayBuffer()).byteLength], [400, 0]);
});

test("error_image with stale_if_error: the stored screenshot takes precedence", async () => {
  site.serve({ "/stored": colouredPage("#00ff00", "<p>Opening hours: nine to five, Monday to Friday") });
  const chain = { ...asked, url: `${site.origin}/stored`, stale_if_error: "3600", on_timeout: "partial" };
  assert.equal((await service.take({ ...chain, response_type: "empty" })).status, 204);
  site.serve({ "/stored": (request) => void request.socket.destroy() });
  const stale = await service.take(chain);
  assert.deepEqual([stale.status, stale.headers.get("x-cache"), stale.headers.get("x-error-code")], [200, "STALE", null]);
});

longTest("error_image: works while no browser is running and none can be started", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "tintype-test-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "chromium");
  const working = `#!/bin/sh\nexec "${process.env.TEST_CHROMIUM}" "$@"\n`;
  await writeFile(path, working, { mode: 0o755 });
  const running = new Set((await chromiumProcesses()).map(({ pid }) => pid));
  const own = await startService(t, { EGRESS_ALLOWED_HOSTS: site.host, PUPPETEER_EXECUTABLE_PATH: path });
  const account = await own.createAccount();
  await writeFile(path, "#!/bin/sh\nexit 1\n");
  for (const { pid, kind } of await chromiumProcesses()) if (kind === "browser" && !running.has(pid)) process.kill(pid, "SIGKILL");
  const response = await own.take({ ...asked, api_key: account.key, url: `${site.origin}/`, timeout: "2" });
  assert.equal(response.ok, false);
  assert.match(await summaryOf(response), /png 400×300$/);
  await writeFile(path, working);
  const again = { api_key: account.key, url: `${site.origin}/` };
  await eventually("screenshots can be taken again", async () => (await own.take(again)).ok);
});
