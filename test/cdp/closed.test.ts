/** What a client can't do with a lent browser: read files, store downloads, bypass its proxy, or access anything but its own pages. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { allowedMethods, openableUrl } from "../../src/cdp/policy.ts";
import { createCertificate } from "../browser/certificate.ts";
import { within } from "../support/eventually.ts";
import { fileScope } from "../support/scope.ts";
import { createSite, type Site } from "../support/site.ts";
import { type Client, openClient } from "./client.ts";
import { startEndpoint, type TestEndpoint } from "./endpoint.ts";

const scope = fileScope();
const marker = "the file's own text";
let file: string;
let site: Site;
/** Host and port of a site with a self-signed certificate. */
let secure: string;
let endpoint: TestEndpoint;
let client: Client;
let sessionId: string;
let page: Awaited<ReturnType<Client["openPage"]>>;

before(async () => {
  const folder = await mkdtemp(join(tmpdir(), "tintype-closed-"));
  scope.after(() => rm(folder, { recursive: true }));
  file = join(folder, "secret.html");
  await writeFile(file, `<body>${marker}`);
  site = await createSite(scope, {
    "/": "<!doctype html><body><input type=file><p>page",
    "/to-file": (_, response) => response.writeHead(302, { location: pathToFileURL(file).href }).end(),
    "/download": (_, response) =>
      response
        .writeHead(200, { "content-type": "application/octet-stream", "content-disposition": "attachment; filename=tintype-kept.bin" })
        .end("kept"),
  });
  const server = createServer(createCertificate("localhost"), (_, response) => response.end("secure"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  scope.after(() => server.close());
  secure = `localhost:${(server.address() as AddressInfo).port}`;
  endpoint = await startEndpoint(scope, { EGRESS_ALLOWED_HOSTS: `${site.host},${secure}` });
  const { key } = await endpoint.service.createAccount();
  client = await openClient(scope, endpoint.address(key));
  page = await client.openPage();
  ({ sessionId } = page);
});

const evaluate = async (expression: string, contextId?: unknown): Promise<string> => {
  const { result } = await client.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true, contextId }, sessionId);
  return String((result as { value?: unknown }).value);
};
const navigate = async (url: string) => {
  const loaded = client.events.length;
  await client.send("Page.navigate", { url }, sessionId);
  while (!client.events.slice(loaded).some(({ method }) => method === "Page.loadEventFired")) await evaluate("0").catch(() => {});
};

test("commands that could act outside the browser's own pages are refused with a message", async () => {
  const url = pathToFileURL(file).href;
  const refused: [method: string, params: object, message: RegExp][] = [
    ["Page.navigate", { url }, /^url must be an absolute http/],
    ["Page.navigate", { url: `view-source:${url}` }, /^url must be/],
    ["Page.navigate", { url: "chrome://version" }, /^url must be/],
    ["Page.navigate", { url: "about:version" }, /^url must be/],
    ["Page.navigate", { url: ` ${url.toUpperCase().slice(0, 5)}${url.slice(5)}` }, /^url must be/],
    ["Page.navigate", { url: "devtools://devtools/bundled/inspector.html" }, /^url must be/],
    ["Page.navigate", {}, /^url must be/],
    ["Page.navigate", { url: "nonsense" }, /^Cannot navigate to invalid URL: url must be/],
    ["Target.createTarget", { url }, /^url must be/],
    ["Fetch.continueRequest", { requestId: "1", url }, /^url must be/],
    ["Target.createBrowserContext", { proxyServer: "direct://" }, /^proxyServer is not accepted/],
    ["Target.createBrowserContext", { proxyBypassList: "*" }, /^proxyBypassList is not accepted/],
    ["Target.createBrowserContext", { originsWithUniversalNetworkAccess: ["*"] }, /is not accepted/],
    ["Target.attachToTarget", { targetId: page.targetId }, /^flatten must be true/],
    ["Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false }, /^flatten must be true/],
    ["Target.sendMessageToTarget", { targetId: page.targetId, message: "{}" }, /^Target.sendMessageToTarget is not available/],
    ["Target.exposeDevToolsProtocol", { targetId: page.targetId }, /is not available/],
    ["Target.setRemoteLocations", { locations: [{ host: "127.0.0.1", port: 9222 }] }, /is not available/],
    ["Input.dispatchDragEvent", { type: "drop", x: 1, y: 1, data: { items: [], files: [file], dragOperationsMask: 1 } }, /^Local files/],
    ["DOM.setFileInputFiles", { files: [file], nodeId: 1 }, /is not available/],
    ["Network.loadNetworkResource", { url, options: { disableCache: true, includeCredentials: true } }, /is not available/],
    ["Browser.grantPermissions", { permissions: ["videoCapture"] }, /^The permission videoCapture can't be granted/],
    ["IO.read", { handle: "1", size: 1e9 }, /^size may be at most/],
    ["hasOwnProperty", {}, /^hasOwnProperty is not available/],
    ...[
      "Browser.crash",
      "Browser.crashGpuProcess",
      "Browser.executeBrowserCommand",
      "Browser.getBrowserCommandLine",
      "Extensions.loadUnpacked",
      "SystemInfo.getInfo",
      "SystemInfo.getProcessInfo",
      "Memory.getBrowserSamplingProfile",
      "Tracing.start",
      "Tethering.bind",
      "PWA.install",
      "Page.crash",
      "FileSystem.getDirectory",
      "Storage.overrideQuotaForOrigin",
    ].map((method): [string, object, RegExp] => [method, {}, /is not available/]),
  ];
  for (const [method, params, message] of refused) {
    for (const session of [sessionId, undefined])
      await assert.rejects(client.send(method, { ...params }, session), { message }, `${method} ${JSON.stringify(params)}`);
  }
  const { sessionId: browserSession } = await client.send("Target.attachToBrowserTarget");
  await assert.rejects(client.send("Target.createTarget", { url }, String(browserSession)), { message: /^url must be/ });
});

test("none of the allowed commands accepts a file path", async () => {
  const { default: protocol } = await import("devtools-protocol/json/browser_protocol.json", { with: { type: "json" } });
  const suspicious = protocol.domains.flatMap(({ domain, commands = [] }) =>
    (commands as { name: string; parameters?: { name: string }[] }[])
      .filter(({ name }) => allowedMethods.has(`${domain}.${name}`))
      .flatMap(({ name, parameters = [] }) =>
        parameters
          .filter((parameter) => /path|file|proxy|folder|directory/i.test(parameter.name))
          .map((parameter) => `${domain}.${name} ${parameter.name}`),
      ),
  );
  // The first is a cookie path, the last a path of DOM nodes.
  assert.deepEqual(
    suspicious.sort(),
    [
      "CacheStorage.requestEntries pathFilter",
      "DOM.pushNodeByPathToFrontend path",
      "Network.deleteCookies path",
      "Network.setCookie path",
      "Page.enable enableFileChooserOpenedEvent",
      "Page.setInterceptFileChooserDialog enabled",
      "Target.createBrowserContext proxyBypassList",
      "Target.createBrowserContext proxyServer",
    ].filter((line) => suspicious.includes(line)),
  );
});

test("only network and inline URLs can be opened", () => {
  for (const url of ["http://a.example/", "https://a.example/b?c#d", "data:text/html,a", "about:blank", "blob:http://a.example/1"])
    assert.equal(openableUrl(url), url);
  for (const url of [
    "file:///",
    "blob:file:///1",
    "filesystem:http://a/",
    "chrome:version",
    "about:about",
    "about:srcdoc",
    "javascript:1",
    "a.example",
    "",
    "view-source:http://a/",
    7,
    null,
  ])
    assert.equal(openableUrl(url), undefined, String(url));
});

test("no script, even with universal access, and no redirect can read a file", async () => {
  const url = pathToFileURL(file).href;
  const attempts = [
    `fetch("${url}").then((r) => r.text())`,
    `new Promise((done) => { const x = new XMLHttpRequest(); x.onloadend = () => done(x.responseText); x.open("GET", "${url}"); x.send() })`,
    `new Promise((done) => { const f = document.createElement("iframe"); f.onload = () => done(f.contentDocument?.body.textContent); f.src = "${url}"; document.body.append(f); setTimeout(done, 1000) })`,
    `new Promise((done) => { const w = open("${url}"); setTimeout(() => done(w?.document?.body.textContent), 500) })`,
    `new Promise((done) => { const w = open("view-source:${url}"); setTimeout(() => done(w?.document?.body.textContent), 500) })`,
    `new Promise((done) => { const s = document.createElement("link"); s.rel = "import"; s.onload = s.onerror = () => done(s.import?.body.textContent); s.href = "${url}"; document.head.append(s); setTimeout(done, 300) })`,
    `new Promise((done) => { const w = new Worker(URL.createObjectURL(new Blob(['fetch("${url}").then((r) => r.text()).then(postMessage, () => postMessage("no"))']))); w.onmessage = ({ data }) => done(data) })`,
  ];
  for (const start of [site.origin, "about:blank", "data:text/html,<body>"]) {
    await navigate(start);
    const { frameTree } = (await client.send("Page.getFrameTree", {}, sessionId)) as { frameTree: { frame: { id: string } } };
    const { executionContextId } = await client.send(
      "Page.createIsolatedWorld",
      { frameId: frameTree.frame.id, worldName: "all", grantUniveralAccess: true },
      sessionId,
    );
    const tried = [undefined, executionContextId].flatMap((context) =>
      attempts.map(async (attempt) => {
        assert.doesNotMatch(await evaluate(`(async () => ${attempt})().catch(String)`, context), new RegExp(marker), attempt);
      }),
    );
    await Promise.all(tried);
    await evaluate(`location.href = "${url}"`, executionContextId);
    assert.doesNotMatch(await evaluate("document.body.textContent"), new RegExp(marker));
  }
  const { errorText } = await client.send("Page.navigate", { url: `${site.origin}/to-file` }, sessionId);
  assert.equal(errorText, "net::ERR_UNSAFE_REDIRECT");
});

test("a response replaced by the client can't lead to a file", async () => {
  await navigate(site.origin);
  await client.send("Fetch.enable", { patterns: [{ urlPattern: "*/replaced*" }] }, sessionId);
  const seen = client.events.length;
  const loading = client.send("Page.navigate", { url: `${site.origin}/replaced` }, sessionId);
  const paused = async (): Promise<string> => {
    for (;;) {
      const event = client.events.slice(seen).find(({ method }) => method === "Fetch.requestPaused");
      if (event) return String(event.params.requestId);
      await client.send("Browser.getVersion");
    }
  };
  const responseHeaders = [{ name: "Location", value: pathToFileURL(file).href }];
  await client.send(
    "Fetch.fulfillRequest",
    { requestId: await within("the request", paused()), responseCode: 302, responseHeaders },
    sessionId,
  );
  await loading;
  assert.doesNotMatch(await evaluate("document.body?.textContent"), new RegExp(marker));
  await client.send("Fetch.disable", {}, sessionId);
});

test("downloads are denied in every context, whatever behavior the client sets", async () => {
  const { targetInfos } = (await client.send("Target.getTargets")) as {
    targetInfos: { targetId: string; type: string; browserContextId: string }[];
  };
  const first = targetInfos.find(({ targetId, type }) => type === "page" && targetId !== page.targetId);
  const { sessionId: firstSession } = await client.send("Target.attachToTarget", { targetId: first?.targetId, flatten: true });
  const folder = await mkdtemp(join(tmpdir(), "tintype-downloads-"));
  scope.after(() => rm(folder, { recursive: true }));
  for (const [session, browserContextId] of [
    [sessionId, page.browserContextId],
    [String(firstSession), first?.browserContextId],
  ] as const) {
    await client.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder, browserContextId, eventsEnabled: true });
    await client.send("Page.setDownloadBehavior", { behavior: "allow", downloadPath: folder }, session);
    const seen = client.events.length;
    await client.send("Page.navigate", { url: `${site.origin}/download` }, session);
    const states = () =>
      client.events
        .slice(seen)
        .filter(({ method }) => method === "Browser.downloadProgress")
        .map(({ params }) => params.state);
    await within(
      "the end of the download",
      (async () => {
        while (!states().includes("canceled") && !states().includes("completed")) await client.send("Browser.getVersion");
      })(),
    );
    assert.equal(states().at(-1), "canceled");
  }
  assert.deepEqual(await readdir(folder), []);
  const kept = await Promise.all([homedir(), join(homedir(), "Downloads")].map((one) => readdir(one).catch(() => [])));
  assert.ok(!kept.flat().includes("tintype-kept.bin"));
});

test("certificates are verified even if a client asks to ignore errors", async () => {
  for (const session of [sessionId, undefined]) await client.send("Security.setIgnoreCertificateErrors", { ignore: true }, session);
  const { errorText } = await client.send("Page.navigate", { url: `https://${secure}/` }, sessionId);
  assert.equal(errorText, "net::ERR_CERT_AUTHORITY_INVALID");
});
