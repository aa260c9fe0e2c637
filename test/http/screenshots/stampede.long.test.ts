/** Single flight across replicas: identical requests are captured once, and none fails because of it. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { pino } from "pino";
import { freePort } from "../../../scripts/stack/ports.ts";
import { createQuotaSweep } from "../../../src/accounts/usage/sweep.ts";
import { createApiKey } from "../../accounts/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { spawnServer } from "../../support/process.ts";
import { fileScope } from "../../support/scope.ts";
import { startReplica, startService, type TestService } from "../../support/service.ts";
import { colouredPage, createSite, type Page, type Site } from "../../support/site.ts";

const scope = fileScope();
let site: Site;
let elsewhere: Site;
let replicas: [TestService, TestService];

before(async () => {
  site = await createSite(scope);
  elsewhere = await createSite(scope, { "/": colouredPage("#0000ff") });
  const one = await startService(scope, { EGRESS_ALLOWED_HOSTS: `${site.host},${elsewhere.host}` });
  replicas = [one, await startReplica(scope, one)];
});

/** Delays its response until all concurrent requests have been sent. */
const slowPage: Page = (_, response) => {
  setTimeout(() => response.writeHead(200, { "content-type": "text/html" }).end(colouredPage("#00ff00")), 500);
};

function asked(key: string, path: string, more: Record<string, string> = {}) {
  return { api_key: key, url: `${site.origin}${path}`, is_cached: "true", width: "40", height: "30", ...more };
}

async function take(service: TestService, parameters: Record<string, string>) {
  const response = await service.take(parameters);
  return {
    status: response.status,
    cache: response.headers.get("x-cache"),
    bytes: Buffer.from(await response.arrayBuffer()).toString("base64"),
  };
}

function visits(path: string): number {
  return site.requests.filter((request) => request.path === path).length;
}

test("lease: requests that differ only in their timeout share the image of one capture, which is read from storage once", async () => {
  const noise = `const context = c.getContext("2d"); const image = context.createImageData(600, 600);
    for (let at = 0; at < image.data.length; at += 1) image.data[at] = at % 4 === 3 ? 255 : Math.random() * 256; context.putImageData(image, 0, 0)`;
  const page = `<!doctype html><style>body{margin:0}</style><canvas id=c width=600 height=600></canvas><script>${noise}</script>`;
  site.serve({ "/noise": (_, response) => void setTimeout(() => response.writeHead(200, { "content-type": "text/html" }).end(page), 500) });
  const [replica] = replicas;
  const { key, userId } = await replica.createAccount();
  const { get } = replica.services.store;
  scope.after(() => Object.assign(replica.services.store, { get }));
  let opened = 0;
  replica.services.store.get = (...of) => {
    opened += 1;
    return get(...of);
  };
  const timeouts = Array.from({ length: 12 }, (_, at) => String(29 - at));
  const size = { width: "600", height: "600", format: "png" };
  const shots = await Promise.all(timeouts.map((timeout) => take(replica, { ...asked(key, "/noise"), ...size, timeout })));
  assert.ok(Buffer.from(shots[0]?.bytes ?? "", "base64").length > 512 * 1024, "it isn't kept in memory");
  assert.deepEqual([shots.filter(({ cache }) => cache === "MISS").length, new Set(shots.map(({ bytes }) => bytes)).size], [1, 1]);
  assert.deepEqual([opened <= 2, await replica.used(userId)], [true, 1], `${opened} reads`);
});

test("lease: 20 identical concurrent requests to two replicas share one capture", async () => {
  site.serve({ "/once": slowPage });
  const { key, userId } = await replicas[0].createAccount();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => take(replicas[index % 2] as TestService, asked(key, "/once"))),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array(20).fill(200),
  );
  assert.equal(new Set(answers.map(({ bytes }) => bytes)).size, 1);
  assert.equal(visits("/once"), 1);
  assert.equal(answers.filter(({ cache }) => cache === "MISS").length, 1);
  const { rows } = await replicas[0].pool.query("select used from usage_periods where user_id = $1", [userId]);
  assert.deepEqual(rows, [{ used: 1 }]);
});

test("lease: captures are not shared across replicas between accounts, or for requests without is_cached", async () => {
  site.serve({ "/apart": slowPage });
  const [a, b] = await Promise.all(replicas.map((service) => service.createAccount()));
  const answers = await Promise.all([
    take(replicas[0], asked(a?.key ?? "", "/apart")),
    take(replicas[1], asked(b?.key ?? "", "/apart")),
    take(replicas[1], asked(a?.key ?? "", "/apart", { is_cached: "false" })),
  ]);
  assert.deepEqual(
    answers.map(({ status, cache }) => [status, cache]),
    Array(3).fill([200, "MISS"]),
  );
  assert.equal(visits("/apart"), 3);
});

test("lease: a capture that ended outside a key's targets is not shared with that key", async () => {
  site.serve({
    "/leads-away": (_, response) => {
      setTimeout(() => response.writeHead(302, { location: `${elsewhere.origin}/` }).end(), 500);
    },
  });
  const { key, userId } = await replicas[0].createAccount();
  const { rows } = await replicas[0].pool.query("select email from users where id = $1", [userId]);
  const bound = await createApiKey(replicas[0].database, rows[0].email, { targets: [site.host] });
  const [free, refused] = await Promise.all([take(replicas[0], asked(key, "/leads-away")), take(replicas[1], asked(bound, "/leads-away"))]);
  assert.deepEqual([free.status, refused.status], [200, 403]);
});

test("lease: if the capturing request fails, a waiting one captures", async () => {
  const first = Promise.withResolvers<void>();
  site.serve({
    "/fails-once": (request, response) => {
      first.resolve();
      if (visits("/fails-once") === 1) return void setTimeout(() => response.writeHead(500).end("no"), 500);
      slowPage(request, response);
    },
  });
  const { key } = await replicas[0].createAccount();
  const parameters = asked(key, "/fails-once", { fail_on_status: "500" });
  const failing = take(replicas[0], parameters);
  await first.promise;
  const after = await take(replicas[1], parameters);
  assert.equal((await failing).status, 400);
  assert.deepEqual([after.status, after.cache, visits("/fails-once")], [200, "MISS", 2]);
});

test("lease: if the capturing replica is killed, another one captures in time", async (t) => {
  const first = Promise.withResolvers<void>();
  site.serve({
    "/killed": (request, response) => {
      first.resolve();
      if (visits("/killed") > 1) slowPage(request, response); // the first one is never answered
    },
  });
  const [one] = replicas;
  const { key } = await one.createAccount();
  const port = String(await freePort());
  const server = spawnServer(t, { ...one.env, HOST: "127.0.0.1", PORT: port, METRICS_PORT: String(await freePort()) });
  await server.printed('"msg":"ready"');
  const lost = fetch(`http://127.0.0.1:${port}/v1/screenshots/take?${new URLSearchParams(asked(key, "/killed"))}`).catch((error) => error);
  await first.promise;
  const waiting = take(one, asked(key, "/killed"));
  server.child.kill("SIGKILL");
  assert.ok((await lost) instanceof Error);
  const { status, cache } = await waiting;
  assert.deepEqual([status, cache, visits("/killed")], [200, "MISS", 2]);
});

test("lease: a waiting request keeps its own timeout, and captures itself if the first one times out", async () => {
  let visited = 0;
  site.serve({
    "/hangs-once": (_, response) => {
      visited += 1;
      if (visited > 1) response.writeHead(200, { "content-type": "text/html" }).end(colouredPage("#00ff00"));
    },
  });
  const { key } = await replicas[0].createAccount();
  const parameters = { ...asked(key, "/hangs-once"), is_cached: "false" };
  const first = take(replicas[0], { ...parameters, timeout: "4" });
  await eventually("the first one has loaded the page", () => visited === 1);
  const second = take(replicas[0], { ...parameters, timeout: "40" });
  assert.equal((await first).status, 400);
  assert.deepEqual([(await second).status, visited], [200, 2]);
});

test("lease: identical concurrent captures of several outputs on two replicas load the page once and produce each output once", async () => {
  site.serve({ "/captures": slowPage });
  const { key, userId } = await replicas[0].createAccount();
  const outputs = [{ name: "jpeg" }, { name: "png", format: "png" }];
  const capture = async (service: TestService, given: object[]) => {
    const response = await fetch(`${service.origin}/v1/captures`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": key },
      body: JSON.stringify({ ...asked(key, "/captures"), outputs: given }),
    });
    return (await response.json()) as { outputs: { name: string; id: string; cache: string; error?: object }[] };
  };
  const single = take(replicas[1], asked(key, "/captures"));
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => capture(replicas[index % 2] as TestService, index % 3 ? outputs : outputs.toReversed())),
  );
  assert.equal((await single).status, 200);
  const ids = (name: string) => new Set(answers.flatMap((answer) => answer.outputs.filter((one) => one.name === name).map(({ id }) => id)));
  assert.equal(ids("jpeg").size, 1);
  assert.equal(ids("png").size, 1);
  assert.ok(visits("/captures") <= 2, "for the single screenshot, and for the other outputs");
  const { rows } = await replicas[0].pool.query("select used from usage_periods where user_id = $1", [userId]);
  assert.ok(rows[0].used <= 2);
});

test("lease: if another request fails to capture shared outputs, the waiting one captures them", async () => {
  let loads = 0;
  site.serve({
    "/fails-first": (_request, response) => {
      loads += 1;
      if (loads === 1) response.socket?.destroy();
      else response.setHeader("content-type", "text/html").end(colouredPage("#00ff00"));
    },
  });
  const { key } = await replicas[0].createAccount();
  const capture = async (service: TestService) => {
    const response = await fetch(`${service.origin}/v1/captures`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": key },
      body: JSON.stringify({ ...asked(key, "/fails-first"), outputs: [{}, { format: "png" }] }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const statuses = await Promise.all([capture(replicas[0]), capture(replicas[1])]);
  assert.ok(statuses.includes(200), String(statuses));
});

test("lease: if the quota allows one more screenshot, one of four captures on two replicas gets it; if its replica is killed, it costs nothing", async (t) => {
  site.serve({ "/quota": colouredPage("#00ff00"), "/never": (_request) => reached.resolve() });
  const reached = Promise.withResolvers<void>();
  const [one] = replicas;
  const { key, userId } = await one.createAccount({ quota: 1 });
  const capture = (origin: string, path: string) =>
    fetch(`${origin}/v1/captures`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": key },
      body: JSON.stringify({
        url: `${site.origin}${path}`,
        height: 30,
        outputs: Array.from({ length: 20 }, (_, more) => ({ width: 40 + more })),
      }),
    });
  const used = async () => (await one.pool.query("select used from usage_periods where user_id = $1", [userId])).rows[0]?.used;

  const port = String(await freePort());
  const server = spawnServer(t, { ...one.env, HOST: "127.0.0.1", PORT: port, METRICS_PORT: String(await freePort()) });
  await server.printed('"msg":"ready"');
  const lost = capture(`http://127.0.0.1:${port}`, "/never").catch((error) => error);
  await reached.promise;
  assert.equal(await used(), 1);
  server.child.kill("SIGKILL");
  assert.ok((await lost) instanceof Error);
  await one.pool.query("update screenshots set lease_until = now() - interval '1 second' where user_id = $1", [userId]);
  const swept = await createQuotaSweep({ database: one.database, log: pino({ level: "silent" }) }).run();
  assert.deepEqual([swept, await used()], [20, 0]);

  const answers = await Promise.all([...replicas, ...replicas].map(({ origin }) => capture(origin, "/quota")));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403, 403, 403]);
  assert.equal(await used(), 1);
});
