/** Hostile pages: each ends within its budget with an image or the expected error, while another account's capture is unaffected. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pixelAt } from "../support/image.ts";
import { fileScope, type Scope } from "../support/scope.ts";
import { startService, type TestService } from "../support/service.ts";
import { colouredPage, createSite, type Page, type Site } from "../support/site.ts";

/** A memory bomb needs time to reach the limit. */
const bomb = { wait_for_selector: "#never", timeout: "25" };

const html = (script: string, body = ""): string =>
  `<!doctype html><body style="margin:0;background:#f00">${body}<script>${script}</script>`;
const raw =
  (status: number, headers: Record<string, string>, body = ""): Page =>
  (_, response) =>
    response.writeHead(status, headers).end(body);
// (module (func (export "f") (loop br 0)))
const endlessWasm =
  "WebAssembly.instantiate(new Uint8Array([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,9,1,7,0,3,64,12,0,11,11])).then(({ instance }) => instance.exports.f())";
const worker = (code: string) => `for (let i = 0; i < 4; i += 1) new Worker(URL.createObjectURL(new Blob([${JSON.stringify(code)}])));`;

interface HostilePage {
  name: string;
  page: Page | Record<string, Page>;
  /** The accepted outcomes; `image` means status 200. */
  ends: string[];
  parameters?: Record<string, string>;
}

const pages: HostilePage[] = [
  { name: "endless script", page: html("for (;;);"), ends: ["target_timeout"] },
  { name: "endless script after load", page: html("setTimeout(() => { for (;;); }, 50)"), ends: ["target_timeout", "image"] },
  { name: "endless wasm", page: html(endlessWasm), ends: ["target_timeout"] },
  { name: "endless workers", page: html(worker("for (;;);")), ends: ["image"] },
  { name: "alert loop", page: html("for (;;) alert(1);"), ends: ["target_timeout", "page_too_heavy"] },
  { name: "beforeunload and dialogs", page: html("onbeforeunload = () => 1; confirm(); prompt(); print();"), ends: ["image"] },
  { name: "reload loop", page: html("location.reload()"), ends: ["image", "target_timeout"] },
  {
    name: "reload loop after load",
    page: html("onload = () => setTimeout(() => location.reload(), 1)"),
    ends: ["image", "target_timeout", "not_a_page"], // between two documents there is nothing to show
  },
  {
    name: "meta refresh 0",
    page: `<meta http-equiv="refresh" content="0">${colouredPage("#ff0000")}`,
    ends: ["image", "target_timeout"],
  },
  {
    name: "ping-pong",
    page: { "": html('location = location.pathname + "/b"'), "/b": html("history.back(); location = location.pathname.slice(0, -2)") },
    ends: ["image", "target_timeout"],
  },
  {
    name: "pushState flood",
    page: html("setInterval(() => { for (let i = 0; i < 1000; i += 1) history.pushState(0, 0, '#' + Math.random()); }, 0)"),
    ends: ["image", "page_too_heavy"],
  },
  {
    name: "hash flood",
    page: html("setInterval(() => { for (let i = 0; i < 1000; i += 1) location.hash = Math.random(); }, 0)"),
    ends: ["image", "page_too_heavy"],
  },
  {
    name: "console flood",
    page: html("setInterval(() => { for (let i = 0; i < 5000; i += 1) console.log('x'.repeat(1000)); }, 0)"),
    ends: ["image", "page_too_heavy", "target_timeout"],
  },
  { name: "popup flood", page: html("setInterval(() => { for (let i = 0; i < 100; i += 1) open('/'); }, 0)"), ends: ["image"] },
  {
    name: "iframe flood",
    page: html("setInterval(() => { for (let i = 0; i < 20; i += 1) document.body.append(document.createElement('iframe')); }, 0)"),
    ends: ["image", "page_too_heavy", "target_timeout"],
  },
  {
    name: "fetch flood",
    page: html("setInterval(() => { for (let i = 0; i < 200; i += 1) fetch('/?' + Math.random()); }, 0)"),
    ends: ["image", "page_too_heavy"],
  },
  {
    name: "script heap bomb",
    page: html("const a = []; setInterval(() => { for (let i = 0; i < 1e6; i += 1) a.push({ i }); }, 0)"),
    parameters: bomb,
    ends: ["page_too_heavy", "page_crashed"],
  },
  {
    name: "ArrayBuffer bomb",
    page: html("const a = []; setInterval(() => a.push(new Uint8Array(1e8).fill(1)), 0)"),
    parameters: bomb,
    ends: ["page_too_heavy", "page_crashed"],
  },
  {
    name: "ArrayBuffer bomb before load",
    page: html("const a = []; for (;;) a.push(new Uint8Array(1e8).fill(1));"),
    ends: ["page_too_heavy", "page_crashed"],
  },
  {
    name: "canvas bomb",
    page: html(
      "for (let i = 0; i < 200; i += 1) { const c = document.createElement('canvas'); c.width = c.height = 8000; c.getContext('2d').fillRect(0, 0, 8000, 8000); document.body.append(c); }",
    ),
    parameters: bomb,
    ends: ["page_too_heavy", "page_crashed"],
  },
  {
    name: "DOM bomb",
    page: html("for (;;) document.body.insertAdjacentHTML('beforeend', '<div>'.repeat(1e4));"),
    ends: ["page_too_heavy", "page_crashed", "target_timeout"],
  },
  {
    name: "100,000 px high",
    page: html("", '<div style="height:100000px;background:linear-gradient(red,blue)"></div>'),
    parameters: { full_page: "true" },
    ends: ["image", "target_timeout"],
  },
  {
    name: "10,000,000 px wide and high",
    page: html("", '<div style="width:10000000px;height:10000000px"></div>'),
    parameters: { full_page: "true" },
    ends: ["image", "image_too_large", "target_timeout"],
  },
  {
    name: "slow loris",
    page: (_, response) => void drip(response.writeHead(200, { "content-type": "text/html" }), "<", 200),
    ends: ["target_timeout", "image", "not_a_page"], // a single "<" is an empty document
  },
  {
    name: "endless stream",
    page: (_, response) => void drip(response.writeHead(200, { "content-type": "text/html" }), "<p>more</p>".repeat(10_000), 0),
    parameters: bomb,
    ends: ["page_too_heavy", "page_crashed"],
  },
  { name: "no response", page: () => {}, ends: ["target_timeout"] },
  { name: "hanging image", page: { "": colouredPage("#ff0000", '<img src="/never.png">') }, ends: ["image"] },
  { name: "download", page: raw(200, { "content-type": "application/octet-stream" }, "x"), ends: ["not_a_page"] },
  { name: "204", page: raw(204, {}), ends: ["not_a_page"] },
  {
    name: "redirect loop",
    page: (request, response) => void response.writeHead(302, { location: request.url }).end(),
    ends: ["too_many_redirects"],
  },
  {
    name: "401",
    page: raw(401, { "www-authenticate": 'Basic realm="x"', "content-type": "text/html" }, colouredPage("#ff0000")),
    ends: ["image"],
  },
  { name: "407", page: raw(407, { "proxy-authenticate": 'Basic realm="x"' }), ends: ["connection_failed"] },
  { name: "no HTTP", page: (_, response) => void response.socket?.end("garbage\r\n\r\n"), ends: ["connection_failed"] },
];

function drip(
  response: { write(text: string): boolean; destroyed: boolean; once(event: "drain", listener: () => void): unknown },
  text: string,
  everyMs: number,
): void {
  if (response.destroyed) return;
  if (response.write(text)) setTimeout(() => drip(response, text, everyMs), everyMs).unref();
  else response.once("drain", () => drip(response, text, everyMs));
}

interface Environment {
  site: Site;
  service: TestService;
  attacker: string;
  /** Captures a plain page for another account, checks its pixels, and returns how long it took in milliseconds. */
  plain(variant?: number): Promise<number>;
}

/** Registers a test for each page in `names`, by default for all pages. @param budgetSeconds budget of a page that never ends. */
export function testHostilePages(budgetSeconds: number, names = pages.map(({ name }) => name)): void {
  const scope = fileScope();
  const rows: string[] = [];
  let environment: Environment;
  let usualMs = 0;

  before(async () => {
    environment = await start(scope);
    const { plain } = environment;
    await Promise.all([plain(), plain(1)]); // starts both browsers
    const times = [];
    for (let round = 0; round < 5; round += 1) times.push(await plain());
    usualMs = times.sort((a, b) => a - b)[2] ?? 0;
  });

  after(() => {
    console.log(`\nTime of another account's plain capture during each page; alone it takes ${usualMs.toFixed(0)} ms:`);
    for (const row of rows) console.log(row);
  });

  for (const chosen of names) {
    const hostile = pages.find(({ name }) => name === chosen);
    if (!hostile) throw new Error(`There is no page "${chosen}".`);
    test(`${chosen}: ends in ${hostile.ends.join(" or ")}, and another account's capture is correct`, async () => {
      const { end, seconds, otherMs } = await captureHostile(environment, hostile, budgetSeconds);
      const ratio = (otherMs / usualMs).toFixed(2);
      rows.push(`  ${chosen.padEnd(30)} ${end.padEnd(20)} ${seconds.toFixed(1).padStart(5)} s   other ${ratio} × its time alone`);
    });
  }
}

async function start(scope: Scope): Promise<Environment> {
  const site = await createSite(scope, {
    "/plain": colouredPage("#00ff00", "<p>plain"),
    "/": colouredPage("#ff0000"),
    "/never.png": () => {},
  });
  const settings = { EGRESS_ALLOWED_HOSTS: site.host, MAX_CONCURRENT_SCREENSHOTS: "2", MAX_BROWSER_MEMORY_MB: "800" };
  const service = await startService(scope, settings);
  const { key: attacker } = await service.createAccount();
  const { key: other } = await service.createAccount();
  const plain = async (variant = 0) => {
    const started = performance.now();
    const size = { width: String(200 + variant), height: "100" };
    const response = await service.take({ api_key: other, url: `${site.origin}/plain`, format: "png", ...size });
    assert.equal(response.status, 200);
    assert.equal(pixelAt(new Uint8Array(await response.arrayBuffer()), 150, 90), "#00ff00");
    return performance.now() - started;
  };
  return { site, service, attacker, plain };
}

/** Captures the page during a plain capture of another account, and checks the outcome. */
async function captureHostile(
  { site, service, attacker, plain }: Environment,
  { name, page, ends, parameters }: HostilePage,
  budgetSeconds: number,
): Promise<{ end: string; seconds: number; otherMs: number }> {
  const path = `/hostile-${encodeURIComponent(name)}`;
  const parts: Record<string, Page> = typeof page === "object" ? page : { "": page };
  site.serve(Object.fromEntries(Object.entries(parts).map(([suffix, content]) => [path + suffix, content])));
  // A page that ends by itself may take longer on a busy machine.
  const timeout = Number(parameters?.timeout ?? (ends.includes("target_timeout") ? budgetSeconds : 21));
  const started = performance.now();
  const size = { width: "400", height: "300" };
  const taking = service
    .take({ api_key: attacker, url: site.origin + path, timeout: String(timeout), wait_until_timeout: "1.5", ...size, ...parameters })
    .then(async (response) => {
      const body = await response.arrayBuffer();
      const seconds = (performance.now() - started) / 1000;
      return { end: response.status === 200 ? "image" : (JSON.parse(Buffer.from(body).toString()).code as string), seconds };
    });
  const otherMs = await plain();
  const { end, seconds } = await taking;
  const said = service
    .logged()
    .split("\n")
    .filter((line) => line.includes('"level":40') || line.includes('"level":50') || line.includes('"code":'));
  assert.ok(ends.includes(end), `it ended in ${end}\n${said.slice(-4).join("\n")}`);
  assert.ok(seconds < 3 * timeout, `it took ${seconds.toFixed(1)} s with a timeout of ${timeout} s`);
  await plain(1);
  return { end, seconds, otherMs };
}
