/** Traces of real processes: from a caller's `traceparent` to a webhook, without secrets, and without affecting requests. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { freePort } from "../../scripts/stack/ports.ts";
import { eventually } from "../support/eventually.ts";
import { type ServerProcess, spawnServer } from "../support/process.ts";
import { fileScope } from "../support/scope.ts";
import { startService } from "../support/service.ts";
import { colouredPage, createSite } from "../support/site.ts";
import { startReceiver } from "../webhooks/receiver.ts";
import { type ReceivedSpan, startCollector } from "./collector.ts";

const scope = fileScope();
const site = await createSite(scope, { "/": colouredPage("#00ff00", "<title>title-s3cret</title><h1>Open</h1>") });
const receiver = await startReceiver(scope);
/** Provides the stores and the accounts; the processes under test are different ones. */
const stores = await startService(scope, {
  EGRESS_ALLOWED_HOSTS: `${site.host},${receiver.host}`,
  ROLE: "api",
  WEBHOOK_ALLOW_HTTP: "true",
  MAX_CONCURRENT_SCREENSHOTS: "1",
});
const { key } = await stores.createAccount();
const authorized = { authorization: `Bearer ${key}`, "content-type": "application/json" };
const traceId = "0af7651916cd43dd8448eb211c80319c";
const callerSpan = "b7ad6b7169203331";
const traceparent = `00-${traceId}-${callerSpan}-01`;

async function start(t: TestContext, settings: Record<string, string>): Promise<ServerProcess & { origin: string }> {
  const port = String(await freePort());
  const server = spawnServer(t, {
    ...stores.env,
    HOST: "127.0.0.1",
    PORT: port,
    ROLE: "all",
    ENABLE_METRICS: "false",
    LOG_LEVEL: "debug",
    ...settings,
  });
  return { ...server, origin: `http://127.0.0.1:${port}` };
}

async function stop({ child, exited, output }: ServerProcess): Promise<void> {
  child.kill("SIGTERM");
  assert.deepEqual(await exited, { code: 0, signal: null }, output());
}

function only(spans: ReceivedSpan[], name: string): ReceivedSpan {
  const found = spans.filter((span) => span.name === name);
  assert.equal(found.length, 1, `${name} among ${spans.map((span) => span.name).join(", ")}`);
  return found[0] as ReceivedSpan;
}

test("a caller's trace covers queue, browser, storage and a webhook in two processes, without secrets", async (t) => {
  const collector = await startCollector(t);
  const tracing = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.origin}/`,
    OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=a%20team",
    OTEL_SERVICE_NAME: "shots",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=staging%2C%20eu",
  };
  const worker = await start(t, { ...tracing, ROLE: "worker" });
  await worker.printed('"msg":"ready"');
  const api = await start(t, { ...tracing, ROLE: "api" });
  await api.printed('"msg":"ready"');

  receiver.received.length = 0;
  const response = await fetch(`${api.origin}/v1/captures`, {
    method: "POST",
    headers: {
      ...authorized,
      traceparent,
      tracestate: "vendor=tracestate-s3cret",
      baggage: "user=baggage-s3cret",
      "idempotency-key": "idempotency-s3cret",
    },
    body: JSON.stringify({
      url: `${site.origin}/?token=url-s3cret#fragment-s3cret`,
      headers: { "x-test": "header-s3cret" },
      cookies: ["cookie-s3cret=value-s3cret"],
      authorization: "Basic s3cret",
      user_agent: "agent-s3cret",
      block_resources: ["font"],
      async: true,
      webhook_url: `http://${receiver.host}/hook-s3cret?token=hook-s3cret`,
      width: 200,
      height: 100,
      outputs: [{ format: "png" }, { selector: "#selector-s3cret" }],
    }),
  });
  const submitted = await response.json();
  assert.equal(response.status, 202, JSON.stringify(submitted));
  await eventually("the webhook arrives", async () => {
    await setImmediate();
    return receiver.received.length === 1;
  });
  await Promise.all([stop(api), stop(worker)]);

  for (const { path, headers } of collector.requests)
    assert.deepEqual([path, headers["content-type"], headers["x-tenant"]], ["/v1/traces", "application/x-protobuf", "a team"]);
  const bytes = Buffer.concat(collector.requests.map(({ body }) => body)).toString("latin1");
  for (const secret of ["s3cret", key, stores.env.AUTH_SECRET as string]) assert.ok(!bytes.includes(secret), secret);

  const spans = collector.spans().filter((span) => span.traceId === traceId);
  const byId = new Map(spans.map((span) => [span.id, span]));
  const chain = (span: ReceivedSpan): string[] => {
    const parent = byId.get(span.parentId);
    return [...(parent ? chain(parent) : [span.parentId]), `${span.process["tintype.role"]} ${span.kind} ${span.name}`];
  };
  const sent = [callerSpan, "api server POST /v1/captures", "api producer send captures"];
  const run = [...sent, "worker consumer run captures"];
  for (const name of ["queue", "navigate", "wait", "shoot"]) {
    const phases = spans.filter((span) => span.name === name);
    assert.ok(phases.length > 0, name);
    for (const phase of phases) assert.deepEqual(chain(phase), [...run, "worker internal capture", `worker internal ${name}`]);
  }
  assert.deepEqual(chain(only(spans, "store")), [...run, "worker internal store"]);
  assert.deepEqual(chain(only(spans, "POST webhook")), [
    ...run,
    "worker producer send webhooks",
    "worker consumer run webhooks",
    "worker client POST webhook",
  ]);
  const shoots = spans.filter((span) => span.name === "shoot");
  assert.deepEqual(
    shoots.map((span) => [span.hasFailed, span.attributes["error.type"]]),
    [
      [false, undefined],
      [true, "selector_not_found"],
    ],
  );

  const post = only(spans, "POST webhook");
  assert.equal(receiver.received[0]?.headers.traceparent, `00-${traceId}-${post.id}-01`);
  assert.deepEqual([post.attributes["server.address"], post.attributes["http.response.status_code"]], ["127.0.0.1", 204]);
  const request = only(spans, "POST /v1/captures");
  assert.deepEqual(
    [request.attributes["http.response.status_code"], request.attributes["tintype.request.id"]],
    [202, response.headers.get("x-request-id")],
  );
  const capture = only(spans, "capture");
  assert.deepEqual([capture.attributes["tintype.target.host"], capture.attributes["tintype.outputs"]], ["127.0.0.1", 2]);
  assert.match(String(capture.attributes["tintype.options"]), /block_resources/);
  assert.equal(only(spans, "run captures").attributes["tintype.job.id"], submitted.id);
  for (const span of spans) {
    const parent = byId.get(span.parentId);
    if (parent) assert.ok(span.startedAt >= parent.startedAt - 2 && span.endedAt >= span.startedAt, span.name); // clocks in whole milliseconds
  }
  for (const span of spans)
    assert.deepEqual([span.process["service.name"], span.process["deployment.environment.name"]], ["shots", "staging, eu"]);
  assert.equal(new Set(spans.map((span) => span.process["service.instance.id"])).size, 2);

  const answered = lines(api).find(({ msg, path }) => msg === "answered" && path === "/v1/captures");
  assert.deepEqual([answered?.trace_id, answered?.span_id], [traceId, request.id]);
  assert.equal(lines(worker).find(({ msg }) => msg === "attempted to deliver a webhook")?.trace_id, traceId);
});

function lines({ output }: ServerProcess): Record<string, unknown>[] {
  return output()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("a synchronous capture through an api process is one trace, and health checks have none", async (t) => {
  const collector = await startCollector(t);
  const tracing = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.origin}/in` };
  const all = await start(t, { ...tracing, ROLE: "all" });
  await all.printed('"msg":"ready"');
  await fetch(`${all.origin}/health`);
  const query = new URLSearchParams({ url: `${site.origin}/?token=url-s3cret`, width: "300", is_cached: "true", response_type: "json" }); // responds once the screenshot is stored
  const take = () => fetch(`${all.origin}/v1/screenshots/take?${query}`, { headers: authorized });
  assert.equal((await take()).headers.get("x-cache"), "MISS");
  assert.equal((await take()).headers.get("x-cache"), "HIT");
  await stop(all);
  assert.equal(collector.requests[0]?.path, "/in");
  const requests = collector.spans().filter(({ kind }) => kind === "server");
  assert.deepEqual(
    requests.map(({ name, parentId, attributes }) => [name, parentId, attributes["tintype.cache"]]),
    [
      ["GET /v1/screenshots/take", "", "MISS"],
      ["GET /v1/screenshots/take", "", "HIT"],
    ],
  );
  const ofFirst = collector.spans().filter((span) => span.traceId === requests[0]?.traceId && span.kind === "internal");
  assert.deepEqual(ofFirst.map(({ name }) => name).toSorted(), ["capture", "navigate", "queue", "shoot", "store", "wait"]);
  assert.equal(collector.spans().filter((span) => span.traceId === requests[1]?.traceId).length, 1);
});

/** Starts an api process, calls `work`, and stops the process. Resolves with its output and the modules that it loaded. */
async function runApi(t: TestContext, settings: Record<string, string>, work: (dryRun: () => Promise<void>) => Promise<void>) {
  const spy = new URL("loaded-modules.ts", import.meta.url).href;
  const server = await start(t, { ROLE: "api", NODE_OPTIONS: `--import=${spy}`, ...settings });
  await server.printed('"msg":"ready"');
  await work(async () => {
    const query = new URLSearchParams({ url: `${site.origin}/`, dry_run: "true" });
    const { status } = await fetch(`${server.origin}/v1/screenshots/take?${query}`, { headers: { ...authorized, traceparent } });
    assert.equal(status, 200);
  });
  await stop(server);
  const [, list = ""] = /^LOADED (.*)$/m.exec(server.output()) ?? [];
  const files: string[] = JSON.parse(list);
  t.diagnostic(`${files.length} modules`);
  const packages = files.flatMap((file) => /@opentelemetry\/[\w-]+/.exec(file) ?? []);
  const own = files.flatMap((file) => /\/src\/(.*\btrac[ei].*)/.exec(file)?.[1] ?? []);
  return { output: server.output(), packages: [...new Set(packages)].toSorted(), own: own.toSorted() };
}

test("without a collector, no tracer is loaded", async (t) => {
  const { output, packages, own } = await runApi(t, {}, (dryRun) => dryRun());
  assert.deepEqual(packages, ["@opentelemetry/api"]); // loaded by prom-client
  assert.deepEqual(own, ["settings/tracing-settings.ts", "telemetry/tracing.ts"]);
  assert.ok(!output.includes("trace_id"));
});

test("a collector that never responds affects no response, and the process still exits", async (t) => {
  const silent = createServer((socket) => t.after(() => socket.destroy())).listen(0, "127.0.0.1");
  await once(silent, "listening");
  t.after(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const connected = once(silent, "connection");
  const { output, packages } = await runApi(t, { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }, async (dryRun) => {
    await dryRun();
    await connected; // from now on, the export is waiting
    await dryRun();
  });
  assert.match(output, /failed to export traces|the last traces could not be exported in time/);
  assert.ok(packages.includes("@opentelemetry/sdk-trace"), packages.join());
});
