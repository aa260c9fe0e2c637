/** `format=har` and `format=console`: what the page did until it was captured. */

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { renderHar } from "../../src/capture/logs/har.ts";
import { renderConsole } from "../../src/capture/logs/page-console.ts";
import { recordRequests } from "../../src/capture/logs/request-record.ts";
import { isSecretName, withoutSecrets } from "../../src/capture/logs/secrets.ts";
import { testsAtOnce } from "../support/at-once.ts";
import { longOnly } from "../support/long-only.ts";
import { longestTurnAtBest } from "../support/longest-turn.ts";
import { fileScope } from "../support/scope.ts";
import { createSite } from "../support/site.ts";
import { captureOf, startOutputs } from "./several-outputs.ts";

const test = testsAtOnce(2);
const longTest = longOnly(test);
const scope = fileScope();
const site = await createSite(scope);
const elsewhere = await createSite(scope);
/** A different site for Chromium, on the same server, so that its frames have their own process. */
const foreign = elsewhere.origin.replace("127.0.0.1", "localhost");
const { take, single } = await startOutputs(scope, `${site.host},${new URL(foreign).host}`);

interface Entry {
  startedDateTime: string;
  time: number;
  request: { method: string; url: string; headers: { name: string; value: string }[]; queryString: { name: string; value: string }[] };
  response: {
    status: number;
    headers: { name: string; value: string }[];
    content: { size: number; mimeType: string; text?: string };
    redirectURL: string;
    bodySize: number;
  };
  timings: Record<string, number>;
  _resourceType: string;
  _error?: string;
  _blockedBy?: string;
}

async function archiveOf(given: Record<string, unknown>) {
  const capture = await single({ ...given, format: "har" });
  const { log } = JSON.parse(capture.bytes.toString()) as {
    log: { version: string; pages: { title: string; pageTimings: { onLoad: number } }[]; entries: Entry[] };
  };
  return { log, capture, find: (part: string) => log.entries.find(({ request }) => request.url.includes(part)) };
}

test("format=har: every request with status, sizes and times, as the server saw it", async () => {
  const served: Record<string, number> = {};
  const serve =
    (type: string, body: Buffer | string, headers: Record<string, string> = {}) =>
    (request: { url?: string }, response: ServerResponse) => {
      served[request.url ?? ""] = Buffer.byteLength(body);
      response.writeHead(200, { "content-type": type, "content-length": Buffer.byteLength(body), ...headers }).end(body);
    };
  const script = `fetch("/har/data.json?a=1&a=2").then((response) => response.json());${"//".padEnd(5000, "-")}`;
  site.serve({
    "/har": (_request, response) => response.writeHead(302, { location: "/har/page" }).end(),
    "/har/page": serve(
      "text/html",
      `<!doctype html><title>Shop</title><link rel=stylesheet href=/har/style.css><script src=/har/app.js></script>
      <img src=/har/missing.png><iframe src="${foreign}/har-frame"></iframe><script>new Worker("/har/worker.js")</script>`,
    ),
    "/har/style.css": serve("text/css", "body{color:teal}"),
    "/har/app.js": serve("text/javascript", gzipSync(script), { "content-encoding": "gzip" }),
    "/har/data.json": serve("application/json", '{"price":12}'),
    "/har/worker.js": serve("text/javascript", 'fetch("/har/from-worker.txt")'),
    "/har/from-worker.txt": serve("text/plain", "by the worker"),
    "/har/missing.png": (_request, response) => response.writeHead(404, { "content-type": "text/plain" }).end("none"),
  });
  elsewhere.serve({
    "/har-frame": serve("text/html", "<img src=/har-frame.svg>"),
    "/har-frame.svg": serve("image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg"/>'),
  });
  const { log, find } = await archiveOf({ url: `${site.origin}/har`, delay: 0.5 });
  assert.deepEqual([log.version, log.pages[0]?.title], ["1.2", "Shop"]);
  assert.deepEqual([log.entries[0]?.response.status, log.entries[0]?.response.redirectURL], [302, "/har/page"]);
  for (const [path, bytes] of Object.entries(served)) {
    const entry = find(path);
    assert.ok(entry, `${path} is missing`);
    // A worker's script may still be evaluated, and its response is reported only then.
    if (!path.endsWith("worker.js")) assert.deepEqual([entry.response.status, entry.response.bodySize], [200, bytes], path);
    const { blocked = 0, dns = 0, connect = 0, send = 0, wait = 0, receive = 0 } = entry.timings;
    const sum = [blocked, dns, connect, send, wait, receive].reduce((total, one) => total + Math.max(0, one), 0);
    assert.ok(Math.abs(sum - entry.time) < 0.01, `${path}: ${JSON.stringify(entry.timings)} is not ${entry.time}`);
    assert.ok(Number.isFinite(Date.parse(entry.startedDateTime)));
  }
  assert.equal(find("app.js")?.response.content.size, script.length);
  assert.equal(find("missing.png")?.response.status, 404);
  assert.deepEqual(
    find("data.json")?.request.queryString.map(({ value }) => value),
    ["1", "2"],
  );
  assert.ok(log.entries.every(({ response }) => response.content.text === undefined));
  assert.ok((log.pages[0]?.pageTimings.onLoad ?? -1) > 0);
});

test("har_bodies=text: the bodies of text, and of nothing else", async () => {
  site.serve({
    "/bodies": "<!doctype html><title>Bodies</title><script src=/bodies.js></script><img src=/bodies.png>Zürich",
    "/bodies.js": (_request, response) => response.setHeader("content-type", "text/javascript").end('fetch("/bodies.json")'),
    "/bodies.json": (_request, response) => response.setHeader("content-type", "application/json").end('{"a":1}'),
    "/bodies.png": (_request, response) => response.setHeader("content-type", "image/png").end(Buffer.alloc(500, 1)),
  });
  const { find } = await archiveOf({ url: `${site.origin}/bodies`, har_bodies: "text" });
  assert.match(find("/bodies")?.response.content.text ?? "", /Zürich/);
  assert.equal(find("/bodies.json")?.response.content.text, '{"a":1}');
  assert.equal(find("/bodies.js")?.response.content.text, 'fetch("/bodies.json")');
  assert.equal(find("/bodies.png")?.response.content.text, undefined);
});

test("format=har: no credentials of the caller or of the page, wherever they are sent", async () => {
  const sent: string[] = [];
  site.serve({
    "/secrets": (request, response) => {
      sent.push(JSON.stringify(request.headers));
      response.setHeader("set-cookie", "visit=c-4711").setHeader("content-type", "text/html");
      response.end(`<!doctype html><script>fetch("/secrets/data?access_token=t-4711&lang=de", { method: "POST", body: "b-4711",
        headers: { "X-Api-Key": "k-4711", "X-Shop": "mine" } })</script>`);
    },
    "/secrets/data": (request, response) => {
      sent.push(JSON.stringify(request.headers), request.url ?? "");
      response.setHeader("content-type", "text/plain").end("fine");
    },
  });
  const options = { authorization: "Basic a-4711", headers: ["X-Customer: h-4711", "Accept-Language: de"], cookies: ["sid=s-4711"] };
  for (const har_bodies of ["none", "text"]) {
    const { capture, find } = await archiveOf({ url: `${site.origin}/secrets?sig=u-4711`, har_bodies, ...options });
    for (const secret of ["a-4711", "h-4711", "s-4711", "c-4711", "k-4711", "t-4711"])
      assert.ok(sent.some((one) => one.includes(secret)) || secret === "c-4711", `${secret} was not sent`);
    // The page's own script contains two of them, so its body does as well.
    const text = capture.bytes.toString().replaceAll(/"text":"(?:[^"\\]|\\.)*"/g, "");
    assert.doesNotMatch(text, /4711/);
    assert.match(find("/secrets/data")?.request.url ?? "", /access_token=removed&lang=de$/);
    assert.ok(find("/secrets/data")?.request.headers.some(({ name, value }) => name === "X-Shop" && value === "mine"));
  }
});

longTest(
  "har_secrets: cookies and credentials as they were sent and received, on every redirect, but not in the other archive of the load",
  async () => {
    site.serve({
      "/signed-in": (_request, response) =>
        response
          .writeHead(302, { location: "/signed-in/page?ticket=i-4711", "set-cookie": ["first=f-4711; Path=/; HttpOnly", "lang=de"] })
          .end(),
      "/signed-in/page": (_request, response) => {
        response.setHeader("set-cookie", "second=n-4711; Path=/").setHeader("content-type", "text/html");
        response.end(`<!doctype html><iframe src="${foreign}/signed-in-frame"></iframe>
        <script>fetch("/signed-in/data?access_token=t-4711", { headers: { "X-Api-Key": "k-4711" } })</script>`);
      },
      "/signed-in/data": (_request, response) => response.setHeader("content-type", "text/plain").end("fine"),
    });
    elsewhere.serve({
      "/signed-in-frame": (_request, response) =>
        response.writeHead(302, { location: "/signed-in-frame/page", "set-cookie": "frame=r-4711" }).end(),
      "/signed-in-frame/page": "<p>Frame",
    });
    const shared = { url: `${site.origin}/signed-in`, delay: 0.3, authorization: "Basic a-4711", headers: ["X-Customer: h-4711"] };
    const { outcomes, loads } = await take({ ...shared, cookies: ["sid=s-4711"] }, [
      { format: "har" },
      { format: "har", har_secrets: true },
    ]);
    assert.equal(loads, 1);
    const [without = "", withAll = ""] = outcomes.map((outcome) => captureOf(outcome).bytes.toString());
    assert.doesNotMatch(without, /4711/);
    const { entries } = JSON.parse(withAll).log;
    const entryOf = (path: string) => entries.find(({ request }: Entry) => new URL(request.url).pathname === path);
    const sent = (path: string, name: string) =>
      entryOf(path)?.request.headers.find((one: { name: string }) => one.name.toLowerCase() === name)?.value;
    assert.deepEqual(
      ["authorization", "x-customer", "cookie"].map((name) => sent("/signed-in", name)),
      ["Basic a-4711", "h-4711", "sid=s-4711"],
    );
    assert.deepEqual(entryOf("/signed-in").response.cookies, [
      { name: "first", value: "f-4711" },
      { name: "lang", value: "de" },
    ]);
    assert.equal(entryOf("/signed-in").response.redirectURL, "/signed-in/page?ticket=i-4711");
    assert.deepEqual(entryOf("/signed-in/page").request.queryString, [{ name: "ticket", value: "i-4711" }]);
    assert.match(sent("/signed-in/page", "cookie"), /sid=s-4711.*first=f-4711/);
    assert.deepEqual(entryOf("/signed-in/page").response.cookies, [{ name: "second", value: "n-4711" }]);
    assert.deepEqual([sent("/signed-in/data", "x-api-key"), sent("/signed-in/data", "x-customer")], ["k-4711", "h-4711"]);
    assert.ok(entryOf("/signed-in/data").request.cookies.some(({ value }: { value: string }) => value === "n-4711"));
    assert.match(entryOf("/signed-in/data").request.url, /access_token=t-4711$/);
    assert.deepEqual(entryOf("/signed-in-frame").response.cookies, [{ name: "frame", value: "r-4711" }]);
    assert.deepEqual([entryOf("/signed-in-frame/page").response.cookies, sent("/signed-in-frame", "authorization")], [[], undefined]);
  },
);

test("format=har: blocked and failed requests say why, without naming the service's proxy", async () => {
  site.serve({
    "/reasons": '<!doctype html><script src=/reasons/ads.js></script><img src="http://10.0.0.1/x.png"><img src=/reasons/fine.png>',
    "/reasons/fine.png": (_request, response) => response.setHeader("content-type", "image/png").end(),
  });
  const { find, capture } = await archiveOf({ url: `${site.origin}/reasons`, block_requests: ["*/ads.js"] });
  assert.equal(find("ads.js")?._blockedBy, "block_requests=*/ads.js");
  assert.ok(find("10.0.0.1")?._error);
  assert.doesNotMatch(capture.bytes.toString(), /SOCKS|PROXY/i);
});

test("an image, its HAR and its console come from one load, in which the logs are written last", async () => {
  let loads = 0;
  site.serve({
    "/together": (_request, response) => {
      loads += 1;
      response.setHeader("content-type", "text/html");
      response.end(`<!doctype html><body style="height:3000px">top<img loading=lazy src=/together/late.png style="position:absolute;top:2900px">
        <script>console.log("once")</script>`);
    },
    "/together/late.png": (_request, response) => response.setHeader("content-type", "image/png").end(),
  });
  const outputs = [{ format: "har", har_bodies: "text" }, { format: "console" }, { full_page: true }, { width: 800 }];
  const { outcomes, loads: counted } = await take({ url: `${site.origin}/together` }, outputs);
  assert.deepEqual([loads, counted], [1, 1]);
  const [har, messages] = outcomes.map((outcome) => captureOf(outcome).bytes.toString());
  assert.match(har ?? "", /late\.png/);
  assert.match(har ?? "", /"text":"<!doctype html>/);
  assert.equal(messages?.split("\n").filter(Boolean).length, 1);
});

test("format=console: messages of every level with time and place, as developer tools show them", async () => {
  site.serve({
    "/console": `<!doctype html><script>
      console.log("%s has %d items", "cart", 3, { total: 12.5, currency: "EUR" });
      console.info([1, "two"]);
      console.debug("quiet");
      console.warn("careful");
      console.assert(1 > 2, "not greater");
      console.clear;
      console.error(new TypeError("broken"));
      setTimeout(() => { undefined.x });
    </script><script src="/console/none.js"></script><iframe src="${foreign}/console-frame"></iframe>`,
    "/console/none.js": (_request, response) => response.writeHead(404).end(),
  });
  elsewhere.serve({ "/console-frame": "<script>console.log('in the frame')</script>" });
  const capture = await single({ url: `${site.origin}/console`, format: "console", delay: 0.3 });
  const messages = capture.bytes
    .toString()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const has = (level: string, text: RegExp) => {
    const found = messages.find((message) => message.level === level && text.test(message.text));
    assert.ok(found, `${level} ${text} is missing in\n${capture.bytes}`);
    return found;
  };
  const first = has("log", /^cart has 3 items \{total: 12.5, currency: "EUR"\}$/);
  assert.deepEqual([first.url, first.line], [`${site.origin}/console`, 2]);
  assert.ok(Math.abs(Date.parse(first.time) - Date.now()) < 600_000);
  has("info", /^\[1, "two"\]$/);
  has("debug", /^quiet$/);
  has("warning", /^careful$/);
  has("error", /not greater/);
  assert.match(has("error", /^TypeError: broken$/).stack, /at .*console:8/);
  has("error", /Cannot read properties of undefined/);
  has("error", /Failed to load resource.*404/);
  has("log", /^in the frame$/);
  assert.deepEqual(
    messages.map(({ time }) => time),
    messages.map(({ time }) => time).sort(),
  );
});

longTest("format=console: a page without messages has an empty document", async () => {
  site.serve({ "/quiet": "<!doctype html>quiet" });
  const { bytes, format } = await single({ url: `${site.origin}/quiet`, format: "console" });
  assert.deepEqual([bytes.length, format], [0, "console"]);
});

longTest("a page that sends or logs without end: its logs are cut off with a warning", async () => {
  site.serve({
    "/flood": `<!doctype html><script>
      for (let at = 0; at < 5050; at += 1) { console.log("message " + at); new Image().src = "/flood/" + at + ".png" }
    </script>`,
  });
  const { log, capture } = await archiveOf({ url: `${site.origin}/flood`, timeout: 20, wait_until: ["domcontentloaded"] });
  assert.equal(log.entries.length, 5000);
  assert.match(capture.warnings.join(), /the page sent 50\d\d requests: the archive contains only the first 5000/);
  const messages = await single({ url: `${site.origin}/flood`, format: "console", wait_until: ["domcontentloaded"] });
  assert.ok(messages.bytes.toString().split("\n").length <= 5001);
});

longTest("a very long URL or message neither blocks the event loop nor makes a large document", async () => {
  site.serve({
    "/long": `<!doctype html><script>
      fetch("/none?" + "a&".repeat(400000)).catch(() => {});
      fetch("/none", { method: "A".repeat(3000000) }).catch(() => {});
      console.log("%s".repeat(1000000), 1);
      const one = { a: 1 };
      for (let at = 0; at < 100; at += 1) console.log(...Array(400).fill(one));
    </script>`,
  });
  for (const format of ["har", "console"]) {
    const take = async () => (await single({ url: `${site.origin}/long`, format, wait_until: ["domcontentloaded"] })).bytes.length;
    const { result, ms } = await longestTurnAtBest(take);
    assert.ok(result < 2_000_000, `${format} has ${result} bytes`);
    assert.ok(ms < 100, `${format}: a turn of ${ms} ms`);
  }
});

longTest("many values with many separators don't block the event loop, although little of them is left", async () => {
  const headers = Object.fromEntries(Array.from({ length: 31 }, (_, at) => [`x-${at}`, `?${"aB%3d".repeat(1599)}`]));
  site.serve({
    "/separators": `<!doctype html><script>
      const text = "aB=".repeat(2666);
      for (let at = 0; at < 30; at += 1) fetch("/header?" + at);
      for (let at = 0; at < 300; at += 1) console.error(text, new Error("x\\n" + text));
    </script>`,
    "/header": (_request, response) => response.writeHead(200, headers).end(),
  });
  for (const format of ["har", "console"]) {
    const { ms } = await longestTurnAtBest(() => single({ url: `${site.origin}/separators`, format, delay: 1 }));
    assert.ok(ms < 120, `${format}: a turn of ${ms} ms`);
  }
});

longTest("format=har: a page with a service worker is captured as without a record", async () => {
  site.serve({
    "/worker": `<!doctype html><title>waiting</title><script>
      navigator.serviceWorker.register("/sw.js").then(() => navigator.serviceWorker.ready).then(() => { document.title = "ready" })
    </script>`,
    "/sw.js": (_request, response) => response.setHeader("content-type", "text/javascript").end("oninstall = () => skipWaiting()"),
  });
  const { log } = await archiveOf({ url: `${site.origin}/worker`, delay: 1 });
  assert.equal(log.pages[0]?.title, "ready");
});

/** A record of a tab whose events the test makes. */
async function recordOf(options = {}) {
  const listeners = new Map<string, (event: unknown) => void>();
  const tab = {
    on: (name: string, listener: (event: unknown) => void) => listeners.set(name, listener),
    send: async () => ({}),
    attachChildren: async () => {},
  };
  return { record: await recordRequests(tab as never, options), emit: (name: string, event: object) => listeners.get(name)?.(event) };
}

longTest("format=har: a request, or a redirect of one, that is blocked before it is reported says why", async () => {
  const { record, emit } = await recordOf();
  const begin = (url: string, redirect = {}) =>
    emit("Network.requestWillBeSent", {
      requestId: "ads",
      request: { method: "GET", url, headers: {} },
      initiator: { type: "script" },
      wallTime: 1,
      timestamp: 1,
      ...redirect,
    });
  const block = (url: string, by: string) => record.blocked({ id: "ads", url, type: "script" }, by);
  const redirectResponse = { status: 302, statusText: "Found", mimeType: "", headers: {} };
  begin("http://a.example/moved");
  block("http://b.example/ads.js", "block_ads");
  begin("http://b.example/ads.js", { redirectResponse });
  emit("Network.loadingFailed", { requestId: "ads", timestamp: 2, errorText: "net::ERR_BLOCKED_BY_CLIENT" });
  assert.deepEqual(
    record.requests().map(({ outcome, reason }) => [outcome, reason]),
    [
      ["done", undefined],
      ["blocked", "block_ads"],
    ],
  );
});

test("headers of responses and redirects are bounded in total, as they are listed: each value with its name", async () => {
  const { record, emit } = await recordOf();
  const response = { status: 302, statusText: "F".repeat(5_000), mimeType: "", headers: { "set-cookie": "a\n".repeat(100_000) } };
  for (let at = 0; at < 10; at += 1)
    emit("Network.requestWillBeSent", {
      requestId: "redirected",
      request: { method: "GET", url: "http://a.example/", headers: {} },
      initiator: { type: "script" },
      wallTime: 1,
      timestamp: 1,
      ...(at > 0 && { redirectResponse: response }),
    });
  const responses = record.requests().flatMap((request) => request.response ?? []);
  assert.deepEqual(
    responses.map(({ headers, statusText }) => [Object.keys(headers).length, statusText.length]),
    Array.from({ length: 9 }, (_, index) => [index < 4 ? 1 : 0, 200]),
  );
});

longTest(
  "har_secrets: headers that Chromium reports apart are bounded with the others, and matched with their requests in order",
  async () => {
    const { record, emit } = await recordOf({ keepsSecrets: true });
    const begun = {
      request: { method: "GET", url: "http://a.example/", headers: {} },
      initiator: { type: "script" },
      wallTime: 1,
      timestamp: 1,
    };
    const response = { status: 302, statusText: "", mimeType: "", headers: {} };
    emit("Network.requestWillBeSentExtraInfo", { requestId: "1", headers: { Cookie: "first" } });
    emit("Network.requestWillBeSent", { requestId: "1", ...begun });
    emit("Network.responseReceivedExtraInfo", { requestId: "1", headers: { "set-cookie": "a" } });
    emit("Network.requestWillBeSent", { requestId: "1", ...begun, redirectResponse: response, redirectHasExtraInfo: true });
    emit("Network.requestWillBeSent", { requestId: "1", ...begun, redirectResponse: response, redirectHasExtraInfo: false }); // from a cache
    emit("Network.requestWillBeSentExtraInfo", { requestId: "1", headers: { Cookie: "x".repeat(15_000_000) } });
    emit("Network.responseReceivedExtraInfo", { requestId: "1", headers: { "set-cookie": "b" } });
    emit("Network.responseReceived", { requestId: "1", response, hasExtraInfo: true });
    const wire = record.wire?.of(record.requests());
    assert.deepEqual(
      record.requests().map((request) => wire?.get(request)),
      [{ sent: { Cookie: "first" }, received: { "set-cookie": "a" } }, undefined, { sent: {}, received: { "set-cookie": "b" } }],
    );
  },
);

test("URLs and headers of a record are bounded in total", async () => {
  const { record, emit } = await recordOf();
  for (let at = 0; at < 10; at += 1)
    emit("Network.requestWillBeSent", {
      requestId: String(at),
      request: { method: "GET", url: `http://a.example/${"x".repeat(2_000_000)}`, headers: {} },
      initiator: { type: "script" },
      wallTime: 1,
      timestamp: 1,
    });
  assert.deepEqual([record.requests().length, record.omitted()], [7, 3]);
});

/** Renders the archive of one request after another, each with the headers given for it, sent and received. */
async function archiveWith(all: Record<string, string>[], options = {}) {
  const { record, emit } = await recordOf();
  const response = { status: 200, statusText: "", mimeType: "" };
  for (const [at, headers] of all.entries()) {
    const request = { method: "GET", url: `http://a.example/?q=${at}`, headers: at % 2 === 0 ? headers : {} };
    const requestId = String(at);
    emit("Network.requestWillBeSent", { requestId, request, initiator: { type: "script" }, wallTime: 1, timestamp: 1 });
    emit("Network.responseReceived", { requestId, response: { ...response, headers: at % 2 === 0 ? {} : headers } });
  }
  const warnings: string[] = [];
  const tab = { evaluate: async () => "", send: async () => ({ product: "Chrome/1" }) };
  const work = { tab, record, warn: (warning: string) => warnings.push(warning) };
  const { result, ms } = await longestTurnAtBest(() => {
    warnings.length = 0;
    return renderHar(work as never, options as never);
  });
  return { bytes: result, ms, warnings, entries: (JSON.parse(result.toString()) as { log: { entries: Entry[] } }).log.entries };
}

const headersOf = (count: number, value: string) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`h${at}`, value]));

longTest("format=har: the headers of one request are written over several turns, however many and long they are", async () => {
  for (const options of [{}, { har_secrets: true }]) {
    const { ms, entries, warnings } = await archiveWith(
      [headersOf(850, "aB%3d".repeat(1_599)), headersOf(850, "aB=".repeat(2_600))],
      options,
    );
    assert.deepEqual(
      entries.map(({ request, response }) => [request.headers.length, response.headers.length]),
      [
        [850, 0],
        [0, 850],
      ],
    );
    assert.deepEqual(warnings, []);
    assert.ok(ms < 100, `a turn of ${ms} ms`);
  }
});

test("format=har: the archive is bounded as it is written, even if what replaces secrets or characters is longer", async () => {
  for (const value of ["pw=x;".repeat(1_599), "\u0001".repeat(7_900)]) {
    const { ms, bytes, entries, warnings } = await archiveWith([...Array(4).fill(headersOf(450, value)), {}]);
    assert.ok(bytes.length <= 20_000_000, `${bytes.length} bytes`);
    assert.ok(bytes.length > 15_000_000, `${bytes.length} bytes`);
    assert.ok(ms < 100, `a turn of ${ms} ms`);
    assert.deepEqual([entries.length, warnings], [5, ["some headers were left out of the archive: it would have been too large"]]);
  }
});

test("format=console: what is kept of long messages is bounded as they arrive, and the document as it is written", async () => {
  const character = "\u0001";
  const error = { type: "object", subtype: "error", description: `Error: ${character}\n${character.repeat(300_000)}` };
  const args = [...Array(19).fill({ type: "string", value: character.repeat(10_000) }), error];
  const replayed = JSON.stringify({ type: "error", args, timestamp: 1, stackTrace: { callFrames: [] } });
  const listeners = new Map<string, (event: object) => void>();
  const tab = {
    on: (name: string, listener: (event: object) => void) => void listeners.set(name, listener),
    send: async (name: string) => {
      for (let left = 250; name === "Runtime.enable" && left > 0; left -= 1) {
        listeners.get("Runtime.consoleAPICalled")?.(JSON.parse(replayed));
        if (left % 10 === 0) await new Promise(setImmediate);
      }
    },
    childFrames: async () => [],
    within: async (_ms: number, work: Promise<unknown>) => await work.then(() => true),
  };
  const warnings: string[] = [];
  const render = () => renderConsole({ tab: tab as never, warn: (warning) => warnings.push(warning) });
  const { result, grownBytes } = await longestTurnAtBest(render, 100, 1);
  assert.ok(result.length > 15_000_000 && result.length <= 20_000_000, `${result.length} bytes`);
  assert.match(warnings.join(), /^some console messages were left out: there were too many, they were too long, /);
  assert.ok(grownBytes < 120_000_000, `the process has grown by ${grownBytes} bytes`);
});

test("names of credentials are recognized in the usual notations and removed from texts; other names are not", async () => {
  for (const name of [
    "Cookie",
    "set-cookie",
    "Authorization",
    "X-API-Key",
    "apikey",
    "accessToken",
    "x-csrf-token",
    "sid",
    "PHPSESSID",
    "authkey",
    "X-Passcode",
    "client_assertion",
    "SAMLResponse",
    "key1",
    "otpcode",
    "X-Amz-Signature",
    "client_secret",
    "n".repeat(300),
  ])
    assert.ok(isSecretName(name), name);
  for (const name of ["content-type", "keyboard", "author", "accept", "lang", "page", "designation", "monkey", "x-request-id"])
    assert.ok(!isSecretName(name), name);
  for (const [text, shown] of Object.entries({
    "https://me:pw@a.example/x?key=1&q=2#token=3": "https://a.example/x?key=removed&q=2#token=removed",
    "text/html; charset=utf-8": "text/html; charset=utf-8",
    "/q?token=1&x=2": "/q?token=removed&x=2",
    "//host/q;jsessionid=1?a=2": "//host/q;jsessionid=removed?a=2",
    "<http://a.example/?sig=1>; rel=next": "<http://a.example/?sig=removed>; rel=next",
    "300; url=http://a.example/?access_token=1": "300; url=http://a.example/?access_token=removed",
    "/?next=http%3A%2F%2Fa.example%2F%3Faccess_token%3D1%26b%3D2": "/?next=http%3A%2F%2Fa.example%2F%3Faccess_token%3Dremoved%26b%3D2",
    '{"password":"1","user":"me"}': '{"password":"removed","user":"me"}',
    "?a=1;token=2": "?a=1;token=removed",
    [`/?${"s".repeat(300)}`]: "/?removed",
    "a=1, http://a.example/?secret=2": "a=1, http://a.example/?secret=removed",
    [`https://me:${"p".repeat(7_000)}@a.example/`]: "https://a.example/",
    "https://me@work:p@ss@a.example/": "https://a.example/",
    [`https://a.example/ https://me:${"p".repeat(9_000)}@a.example/`]: "https://a.example/ https://…",
  }))
    assert.equal(withoutSecrets(text), shown);
  assert.equal(withoutSecrets("a".repeat(9_000)).length, 8_001);
});
