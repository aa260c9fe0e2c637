/** Rules of real filter lists, each on a page in a real Chromium behind the real egress filter. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { pixelAt } from "../support/image.ts";
import { askOnly, startNameServer, typeA } from "../support/name-server.ts";
import { fileScope } from "../support/scope.ts";
import { adElements, adHosts, chatElements, chatHosts, cookieElements, cookieHosts, trackerHosts } from "./blocking-rules.ts";

const scope = fileScope();
let captures: Captures;
let site: Captures["site"];
let asked: string[];

before(async () => {
  const names = await startNameServer(scope, (_, type) => (type === typeA ? [[127, 0, 0, 1]] : []));
  asked = names.asked;
  askOnly(scope, names.servers);
  captures = await startCaptures(scope, { EGRESS_ALLOWED_HOSTS: "127.0.0.0/8" });
  ({ site } = captures);
});

async function capture(page: string, parameters: Record<string, string>, host = "page.example"): Promise<Uint8Array> {
  site.serve({ "/": page });
  const url = site.origin.replace("127.0.0.1", host);
  const { status, bytes, json, warnings } = await captures.capture(url, {
    width: "600",
    height: "300",
    wait_until_timeout: "30",
    ...parameters,
  });
  assert.equal(status, 200, String(json.error));
  assert.equal(warnings, null);
  return bytes;
}

const hostsByOption = { block_ads: adHosts, block_trackers: trackerHosts, block_cookie_banners: cookieHosts, block_chats: chatHosts };

/** Which of `hosts` the egress filter looks up for a page with a script from each host. */
async function reached(hosts: string[], parameters: Record<string, string>): Promise<string[]> {
  asked.length = 0;
  const port = new URL(site.origin).port;
  const scripts = hosts.map((host) => `<script async src="http://${host}:${port}/x.js"></script>`);
  await capture(`<p>A page</p>${scripts.join("")}`, parameters);
  return hosts.filter((host) => asked.includes(host));
}

for (const [option, hosts] of Object.entries(hostsByOption)) {
  test(`${option}: requests to ${hosts.length} hosts never leave the browser; without the option, all of them do`, async () => {
    assert.deepEqual(await reached(hosts, {}), hosts);
    assert.deepEqual(await reached(hosts, { [option]: "true" }), []);
  });
}

const elementsByOption = { block_ads: adElements, block_cookie_banners: cookieElements, block_chats: chatElements };

/** Which of `elements` are visible in the image: each is a red square in a grid, which is green if the element is hidden. */
async function shown(elements: string[], parameters: Record<string, string>): Promise<string[]> {
  const cells = elements.map((name) => {
    const attribute = name.startsWith("#") ? `id="${name.slice(1)}"` : `class="${name.slice(1)}"`;
    return `<i><div ${attribute} style="height:20px;background:#f00"></div></i>`;
  });
  const page = `<!doctype html><style>body{margin:0;display:flex;flex-wrap:wrap;align-content:start}i{width:20px;height:20px;background:#0f0}</style>${cells.join("")}`;
  const bytes = await capture(page, parameters);
  const colours = elements.map((_, index) => pixelAt(bytes, (index % 30) * 20 + 10, Math.floor(index / 30) * 20 + 10));
  assert.ok(colours.every((colour) => colour === "#ff0000" || colour === "#00ff00"));
  return elements.filter((_, index) => colours[index] === "#ff0000");
}

for (const [option, elements] of Object.entries(elementsByOption)) {
  test(`${option}: ${elements.length} elements are hidden; without the option, all are visible`, async () => {
    assert.deepEqual(await shown(elements, {}), elements);
    assert.deepEqual(await shown(elements, { [option]: "true" }), []);
  });
}

test("these tests cover more than 200 rules", () => {
  const all = [...Object.values(hostsByOption), ...Object.values(elementsByOption)].flat();
  assert.ok(new Set(all).size > 200, String(new Set(all).size));
});

test("exceptions in a list apply to their pages and to no others", async () => {
  const script = `<p>A page</p><script src="${site.origin.replace("127.0.0.1", "cdn.optimizely.com")}/x.js"></script>`;
  for (const [page, loaded] of [
    ["www.sonos.com", true],
    ["page.example", false],
  ] as const) {
    asked.length = 0;
    await capture(script, { block_trackers: "true" }, page);
    assert.equal(asked.includes("cdn.optimizely.com"), loaded, page);
  }
});
