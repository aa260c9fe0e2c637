/** `country` and `proxy`: captures through the operator's proxies and callers' own. */

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import { createSignatures } from "../../../src/accounts/keys/restrictions.ts";
import { systemClock } from "../../../src/shared/clock.ts";
import { createApiKey } from "../../accounts/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { longOnly, onlyLong } from "../../support/long-only.ts";
import { proxyAddress, startProxy } from "../../support/proxies.ts";
import { fileScope } from "../../support/scope.ts";
import { startReplica, startService } from "../../support/service.ts";
import { createSite } from "../../support/site.ts";
import { assertNowhere, storesOf } from "../../support/stores.ts";

const longTest = longOnly(test);
const scope = fileScope();
/** Says from which address it was requested, in which languages, and what the page's scripts see. */
const site = await createSite(scope, {
  "/": ({ socket, headers }, response) =>
    void response
      .setHeader("content-type", "text/html")
      .end(`<p>From ${socket.remoteAddress}, ${headers["accept-language"]}.</p><p id=image></p><p id=place>Place: </p><script>
        document.write(Intl.DateTimeFormat().resolvedOptions().timeZone, " ", navigator.language, ".");
        fetch("/address").then((answer) => answer.text()).then((text) => image.append("Script from " + text + "."));
        navigator.geolocation.getCurrentPosition(({ coords }) => place.append(coords.latitude + " " + coords.longitude + " within " + coords.accuracy + "."),
          () => place.append("none."));
      </script>`),
  "/address": ({ socket }, response) => void response.end(socket.remoteAddress),
  "/quiet": "<p>Nothing.",
  "/never": () => {},
});
const secret = "v3ry s€cret:pass@word";
const login = { user: "operator-user", password: secret };
const http = await startProxy(scope, "http", login);
const socks = await startProxy(scope, "socks5", login);
const own = await startProxy(scope, "socks5", { user: "caller-user", password: "callers-own-s3cret" });
const ownSecrets = ["callers-own-s3cret", own.url];

const wrongPassword = http.url.replace(/:[^:@]*@/, ":wrong@");
const service = await startService(scope, {
  EGRESS_ALLOWED_HOSTS: "127.0.0.1,0.0.0.0",
  PROXIES: [`de=${http.url}`, `jp=${socks.url}`, `US[pro]=${http.url}`, `wrong=${wrongPassword}`, "away=socks5://127.0.0.1:1"].join("\n"),
  PROXY_BY_REQUEST: "true",
});
const { key, userId } = await service.createAccount();

/** The page's text, or the error. */
async function seen(options: Record<string, string>, path = "/", apiKey = key) {
  const response = await service.take({ url: `${site.origin}${path}`, api_key: apiKey, format: "text", ...options });
  const text = await response.text();
  return { text, status: response.status, cache: response.headers.get("x-cache"), control: response.headers.get("cache-control") };
}

async function assertSays(options: Record<string, string>, ...expected: string[]) {
  const { text } = await seen(options);
  for (const part of expected) assert.ok(text.includes(part), `${text} has no ${part}`);
}

async function failure(options: Record<string, string>, apiKey = key) {
  const { status, text } = await seen(options, "/", apiKey);
  assert.ok(status >= 400, text);
  const { code, error } = JSON.parse(text);
  return `${status} ${code}: ${error}`;
}

test("proxies: with country, page and scripts come from its proxy, with the country's time zone, language and location", async () => {
  await assertSays({}, "From 127.0.0.1, en-US", "Script from 127.0.0.1.", "UTC en-US.", "Place: none.");
  const german = ["Europe/Berlin de-DE.", "Place: 52.5 13.4 within 50000."];
  await assertSays({ country: "DE" }, `From ${proxyAddress}, de-DE,de;q=0.9.`, `Script from ${proxyAddress}.`, ...german);
  await assertSays({ country: "jp" }, `From ${proxyAddress}, ja-JP`, "Asia/Tokyo ja-JP.");
  assert.deepEqual(new Set([...http.asked, ...socks.asked]), new Set([site.host]));
});

longTest(
  "proxies: given values of time_zone, locale and geolocation win, but not all defaults, as generated clients send them",
  async () => {
    const given = { time_zone: "America/Lima", geolocation_latitude: "1", geolocation_longitude: "2", geolocation_accuracy: "3" };
    await assertSays({ country: "de", ...given }, "America/Lima de-DE.", "Place: 1 2 within 3.");
    await assertSays({ country: "de", locale: "fr-FR" }, "Europe/Berlin fr-FR.");
    await assertSays({ country: "de", locale: "en-US", time_zone: "UTC" }, "Europe/Berlin de-DE.");
    await assertSays({ country: "de", time_zone: "UTC" }, "UTC de-DE.");
  },
);

test("proxies: errors name the proxies that the account may use", async () => {
  assert.equal(await failure({ country: "fr" }), '400 invalid_parameters: country must be one of de, jp, wrong, away, not "fr".');
  const details = await service.send("POST", "/v1/screenshots/take", key, { url: site.origin, country: "fr" });
  assert.deepEqual(details.json.details[0].allowed, "one of de, jp, wrong, away");
  assert.equal(
    await failure({ country: "us" }),
    "403 proxy_not_allowed: The account may not use the proxy us. It may use de, jp, wrong, away.",
  );
  assert.match(await failure({ country: "d e" }), /^400 invalid_parameters: country must be a country or name/);
});

longTest("proxies: the account's plan or id decides", async (t) => {
  const pro = await service.createAccount({ plan: "pro" });
  assert.equal((await seen({ country: "us" }, "/", pro.key)).status, 200);
  const named = await startReplica(t, service, { PROXIES: `de[${pro.userId}]=${http.url}` });
  const take = async (apiKey: string) =>
    (await named.take({ url: `${site.origin}/quiet`, api_key: apiKey, country: "de", format: "text" })).status;
  assert.deepEqual([await take(pro.key), await take(key)], [200, 403]);
});

longTest("proxies: cached screenshots are kept apart by country and proxy", async () => {
  const cacheOf = async (options: Record<string, string>) => (await seen({ is_cached: "true", ...options }, "/quiet")).cache;
  const kinds: Record<string, string>[] = [{}, { country: "de" }, { country: "jp" }, { proxy: own.url }];
  for (const options of kinds) assert.equal(await cacheOf(options), "MISS", JSON.stringify(options));
  await eventually("all are stored", async () => {
    const found = await Promise.all(kinds.map(cacheOf));
    return found.every((one) => one === "HIT");
  });
  const { control } = await seen({ is_cached: "true", proxy: own.url }, "/quiet");
  assert.match(control ?? "", /private/);
});

test("proxies: errors say which end failed", async () => {
  assert.equal(await failure({ country: "wrong" }), "400 proxy_failed: The proxy refused the user name and password.");
  assert.equal(await failure({ country: "away" }), "400 proxy_failed: The proxy could not be reached.");
  const gone = { url: "http://127.0.0.1:1025/", country: "de" };
  assert.equal(await failure(gone), "400 connection_failed: The target could not be reached.");
  assert.match(await failure({ url: "http://169.254.169.254/", country: "de" }), /^400 target_blocked/);
  assert.match(await failure({ url: "http://nothing.invalid/", country: "de" }), /^400 name_not_resolved/);
  const crawl = await service.send("POST", "/v1/batches", key, { crawl: { url: `${site.origin}/` }, shared: { country: "away" } });
  assert.equal(crawl.json.error, "crawl.url can't be crawled: its robots.txt can't be reached through the proxy.");
});

longTest("proxies: one that doesn't respond is the proxy's failure, also if the capture's timeout is shorter than its own", async (t) => {
  const silent = createServer(() => {});
  await once(silent.listen(0, "127.0.0.1"), "listening");
  t.after(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const replica = await startReplica(t, service, { PROXIES: `http=http://127.0.0.1:${port} socks=socks5://127.0.0.1:${port}` });
  for (const country of ["http", "socks"]) {
    const response = await replica.take({ url: `${site.origin}/quiet`, api_key: key, country, timeout: "4" });
    const { code, error } = await response.json();
    assert.deepEqual([code, error], ["proxy_failed", "The proxy did not open a connection to the target in time."]);
  }
});

test("proxies: captures through a caller's own proxy don't keep other accounts' captures of the host waiting", async (t) => {
  const silent = createServer(() => {});
  await once(silent.listen(0, "127.0.0.1"), "listening");
  t.after(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const limited = await startService(t, {
    EGRESS_ALLOWED_HOSTS: "127.0.0.1",
    PROXY_BY_REQUEST: "true",
    MAX_CONCURRENT_JOBS: "2",
    MAX_CONCURRENT_JOBS_PER_HOST: "1",
  });
  const [one, other] = [await limited.createAccount(), await limited.createAccount()];
  const capture = { url: `${site.origin}/quiet`, async: true, outputs: [{ format: "text" }] };
  const connected = once(silent, "connection");
  const held = await limited.send("POST", "/v1/captures", one.key, { ...capture, proxy: `socks5://127.0.0.1:${port}` });
  await connected;
  const queued = await limited.send("POST", "/v1/captures", other.key, capture);
  const done = await limited.send("GET", `/v1/captures/${queued.json.id}?wait=60`, other.key);
  const before = await limited.send("GET", `/v1/captures/${held.json.id}`, one.key);
  assert.deepEqual([done.json.status, before.json.status], ["done", "running"]);
});

longTest("proxies: a caller's own is used only where the operator allows it, and never with a key that visitors can see", async (t) => {
  await assertSays({ proxy: own.url }, `From ${proxyAddress}, en-US`, "UTC en-US.");
  const { rows } = await service.pool.query("select email from users join api_keys on users.id = user_id limit 1");
  const embedded = await createApiKey(service.database, rows[0].email, { domains: ["example.com"] });
  const headers = { origin: "https://example.com" };
  const visitor = async (options: Record<string, string>) => {
    const response = await service.take({ url: `${site.origin}/quiet`, api_key: embedded, format: "text", ...options }, headers);
    return response.status === 200 ? 200 : (await response.json()).code;
  };
  assert.deepEqual([await visitor({ proxy: own.url }), await visitor({ country: "de" })], ["domain_not_allowed", 200]);
  const { rows: keys } = await service.pool.query("select id from api_keys where user_id = $1", [userId]);
  const secretKey = createSignatures(service.env.AUTH_SECRET ?? "", systemClock).secretOf(keys[0].id);
  const query = new URLSearchParams({ api_key: key, url: `${site.origin}/quiet`, proxy: own.url }).toString();
  const signature = createHmac("sha256", secretKey).update(query).digest("hex");
  const signed = await fetch(`${service.origin}/v1/screenshots/take?${query}&signature=${signature}`);
  assert.match((await signed.json()).error, /^proxy can't be part of a signed link/);
  const bound = await createApiKey(service.database, rows[0].email, { targets: [site.host] });
  assert.match(await failure({ proxy: own.url }, bound), /^403 proxy_not_allowed: The API key is restricted to certain targets/);
  assert.equal((await seen({ country: "de" }, "/", bound)).status, 200);
  const without = await startReplica(t, service, { PROXY_BY_REQUEST: "false" });
  const refused = await without.take({ url: `${site.origin}/quiet`, api_key: key, proxy: own.url });
  assert.equal((await refused.json()).error, "The service does not accept callers' own proxies.");
});

longTest("proxies: with a session, only encrypted connections go through a caller's own, and no steps are typed elsewhere", async (t) => {
  let valid = "first";
  const document = (body: string) => `<!doctype html><title>App</title>${body}`;
  const app = await createSite(t, {}, "0.0.0.0");
  app.serve({
    "/private": ({ headers }, response) => {
      if (!headers.cookie?.includes(valid)) return void response.writeHead(302, { location: "/login" }).end();
      const words = `<h1>Orders</h1><p>Number 4711 has been sent on Tuesday.</p><script>document.write(localStorage.getItem("token"))</script>`;
      response.writeHead(200, { "content-type": "text/html" }).end(document(words));
    },
    "/login": document(
      "<h1>Sign in</h1><form action=/enter><input name=user id=user><input type=password name=password id=password><button>Sign in</button></form>",
    ),
    "/enter": (_, response) => void response.writeHead(303, { "set-cookie": `sid=${valid}; Path=/`, location: "/private" }).end(),
  });
  const shown = async (options: Record<string, string>) => {
    const response = await service.take({ url: `${app.origin}/private`, api_key: key, format: "text", ...options });
    return `${response.headers.get("x-warnings") ?? ""} ${await response.text()}`;
  };
  const cookies = [{ name: "sid", value: valid, domain: "0.0.0.0", path: "/" }];
  const origins = [{ origin: app.origin, localStorage: [{ name: "token", value: "t0ken" }] }];
  const save = async (body: object) => assert.equal((await service.send("POST", "/v1/sessions", key, body)).status, 201);
  await save({ name: "state", state: { cookies, origins } });
  for (const options of [{}, { country: "de" }] as Record<string, string>[])
    assert.match(await shown({ session: "state", ...options }), /4711[\s\S]*t0ken/);
  const refused = async (session: string) => {
    const before = app.requests.length;
    assert.match(await shown({ session, proxy: own.url }), /The page is not encrypted.*"target_blocked"/);
    assert.equal(app.requests.length, before);
  };
  await refused("state");
  const steps = [{ type: "#user", text: "ann" }, { type: "#password", text: "horse" }, { press: "Enter" }, { wait: "h1" }];
  await save({ name: "steps", url: `${app.origin}/login`, steps });
  valid = "second";
  await refused("steps");
  assert.match(await shown({ session: "steps" }), /signing in again succeeded[\s\S]*4711/);
  const update = { session: "state", session_update: "true", proxy: own.url };
  assert.match(await failure(update), /^400 invalid_parameters: session_update can't be combined with proxy/);
});

test("proxies: a caller's own must be a complete public URL, and is quoted by no error or log line", async () => {
  const urls = [
    "https://a:b@127.0.0.1:1",
    "socks4://127.0.0.1:1",
    "http://127.0.0.1",
    "127.0.0.1:8080",
    "http://a:b@c@d:1",
    "http://us%3Aer:b@host:1",
    "http://a:%zz@host:1",
    "http://a:b%0d%0aX@host:1",
    "http://host:0",
    "http://host:70000",
    "http://host:80/path",
    `http://a:${"x".repeat(600)}@host:1`,
  ];
  for (const proxy of urls) {
    const text = await failure({ proxy });
    assert.match(text, /^400 invalid_parameters: proxy must be http:\/\/user:password@host:port or socks5/, proxy);
    assert.ok(!text.includes("127.0.0.1") && !text.includes("xxx"), text);
  }
  assert.match(await failure({ proxy: own.url, country: "de" }), /proxy can't be combined with country/);
  const blocked = "400 proxy_failed: The proxy's address is blocked, or its name does not resolve to a public address.";
  for (const proxy of ["http://10.0.0.1:8080", "http://proxy.invalid:8080", `http://127.0.0.1:${http.port}`])
    assert.equal(await failure({ proxy }), blocked);
  for (const address of ["10.0.0.1", "proxy.invalid", `127.0.0.1:${http.port}`]) assert.ok(!service.logged().includes(address), address);
});

test("proxies: all outputs of a capture, queued captures, batches and watches use it, and are refused at once if they can't", async () => {
  const url = `${site.origin}/`;
  const output = { format: "text" };
  const capture = await service.send("POST", "/v1/captures", key, { url, country: "de", outputs: [output, { format: "png", width: 300 }] });
  assert.equal(capture.status, 200, JSON.stringify(capture.json));
  const queued = await service.send("POST", "/v1/captures", key, { url, country: "jp", async: true, outputs: [output] });
  const done = await service.send("GET", `/v1/captures/${queued.json.id}?wait=60`, key);
  const text = await (await fetch(done.json.outputs[0].url)).text();
  assert.match(text, new RegExp(`From ${proxyAddress}, ja-JP`));
  for (const [path, body] of [
    ["/v1/captures", { url, country: "us", async: true, outputs: [output] }],
    ["/v1/captures", { url, country: "us", outputs: [output] }],
    ["/v1/batches", { captures: [{ url, country: "us", outputs: [output] }] }],
    ["/v1/batches", { shared: { country: "us" }, captures: [{ url }] }],
    ["/v1/watches", { url, country: "us" }],
  ] as const) {
    const refused = await service.send("POST", path, key, body);
    assert.equal(refused.json.code, "proxy_not_allowed", `${path} ${JSON.stringify(refused.json)}`);
  }
  const inOne = await service.send("POST", "/v1/captures", key, { url, outputs: [{ ...output, country: "de" }] });
  assert.match(inOne.json.error, /outputs\[0\]\.country applies to all outputs/);
  const watch = await service.send("POST", "/v1/watches", key, { url, country: "de", width: 60, height: 60 });
  assert.equal(watch.status, 201, JSON.stringify(watch.json));
  const before = http.connections();
  await service.send("POST", `/v1/watches/${watch.json.id}/run`, key, {});
  await eventually("the watch has run through the proxy", async () => http.connections() > before);
  assert.equal((await service.send("PATCH", `/v1/watches/${watch.json.id}`, key, { country: "us" })).json.code, "proxy_not_allowed");
  await service.send("DELETE", `/v1/watches/${watch.json.id}`, key);
});

longTest("proxies: a process without browsers hands the capture to one with browsers, which uses the proxy", async (t) => {
  const api = await startReplica(t, service, { ROLE: "api" });
  for (const [options, language] of [
    [{ country: "jp" }, "ja-JP"],
    [{ proxy: own.url }, "en-US"],
  ] as const) {
    const response = await api.take({ url: `${site.origin}/`, api_key: key, format: "text", ...options });
    assert.match(await response.text(), new RegExp(`From ${proxyAddress}, ${language}`));
  }
  const refused = await api.take({ url: `${site.origin}/`, api_key: key, country: "us" });
  assert.equal((await refused.json()).code, "proxy_not_allowed");
});

longTest("proxies: their URLs and passwords are in no table, log line, Redis key, stored file, answer or explanation", async (t) => {
  const { key: caller } = await service.createAccount();
  const url = `${site.origin}/quiet`;
  const answers = [];
  for (const proxied of [
    { country: "de" },
    { country: "wrong" },
    { proxy: own.url },
    ...onlyLong([{ country: "away" }, { proxy: own.url.replace("s3cret", "other") }]),
  ]) {
    answers.push(
      await service.send("POST", "/v1/screenshots/take", caller, {
        url,
        ...proxied,
        explain: true,
        is_cached: true,
        response_type: "json",
      }),
      await service.send("POST", "/v1/screenshots/take", caller, {
        url,
        ...proxied,
        format: "har",
        har_secrets: true,
        response_type: "json",
      }),
      await service.send("POST", "/v1/screenshots/take", caller, { url, ...proxied, dry_run: true }),
      await service.send("POST", "/v1/screenshots/take", caller, { url: `${site.origin}/never`, ...proxied, explain: true, timeout: 2 }),
    );
    const queued = await service.send("POST", "/v1/captures", caller, { url, ...proxied, async: true, outputs: [{ format: "text" }] });
    answers.push(queued, await service.send("GET", `/v1/captures/${queued.json.id}?wait=60`, caller));
    const batch = await service.send("POST", "/v1/batches", caller, { captures: [{ url, ...proxied, outputs: [{ format: "png" }] }] });
    answers.push(batch);
    const watch = await service.send("POST", "/v1/watches", caller, { url, ...proxied });
    answers.push(watch, await service.send("GET", `/v1/watches/${watch.json.id}`, caller));
  }
  const statuses = answers.map(({ status }) => status);
  assert.ok(
    statuses.every((status) => status < 500),
    statuses.join(),
  );
  assert.ok(statuses.filter((status) => status < 300).length > statuses.length / 2, statuses.join());
  assertNowhere([secret, ...ownSecrets, http.url, socks.url, "operator-user", "caller-user", "callers-own-other"], {
    ...(await storesOf(t, service)),
    answers: answers.map(({ json, headers }) => JSON.stringify(json) + JSON.stringify([...headers])),
  });
});
