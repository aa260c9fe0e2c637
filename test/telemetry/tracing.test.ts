/** The tracer in this process: sampling, parents, and what it buffers while the collector doesn't respond. */

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { pino } from "pino";
import type { Config } from "../../src/settings/config.ts";
import { collectorOf, parsePairs } from "../../src/settings/tracing-settings.ts";
import { AppError } from "../../src/shared/errors.ts";
import { startTracing } from "../../src/telemetry/sdk.ts";
import { setTracer, span, tracer } from "../../src/telemetry/tracing.ts";
import { startCollector } from "./collector.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const sampled = `00-${traceId}-b7ad6b7169203331-01`;
const unsampled = `00-${traceId}-b7ad6b7169203331-00`;

/** Runs `work` while traces are sent to a collector; resolves with the collector after the last of them. */
async function traced(t: TestContext, settings: Partial<Config>, work: () => Promise<unknown>) {
  const collector = await startCollector(t);
  const config = {
    OTEL_SDK_DISABLED: false,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
    OTEL_EXPORTER_OTLP_HEADERS: "",
    OTEL_RESOURCE_ATTRIBUTES: "",
    OTEL_SERVICE_NAME: "tintype",
    OTEL_TRACES_SAMPLER: "parentbased_always_on",
    OTEL_TRACES_SAMPLER_ARG: 1,
    ...settings,
  } as Config;
  const tracing = startTracing(config, pino({ level: "silent" }));
  t.after(() => setTracer(undefined));
  await work();
  return { collector, close: () => tracing.close(AbortSignal.timeout(10_000)) };
}

async function namesOf(t: TestContext, settings: Partial<Config>): Promise<string[]> {
  const nothing = async () => {};
  const { collector, close } = await traced(t, settings, async () => {
    await span("new", {}, nothing);
    await span("sampled", {}, nothing, { parent: sampled });
    await span("unsampled", {}, nothing, { parent: unsampled });
  });
  await close();
  return collector.spans().map(({ name }) => name);
}

test("samplers decide which spans are exported", async (t) => {
  assert.deepEqual(await namesOf(t, { OTEL_TRACES_SAMPLER: "always_on" }), ["new", "sampled", "unsampled"]);
  assert.deepEqual(await namesOf(t, { OTEL_TRACES_SAMPLER: "always_off" }), []);
  assert.deepEqual(await namesOf(t, { OTEL_TRACES_SAMPLER: "parentbased_always_on" }), ["new", "sampled"]);
  assert.deepEqual(await namesOf(t, { OTEL_TRACES_SAMPLER: "parentbased_always_off" }), ["sampled"]);
  assert.deepEqual(await namesOf(t, { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: 0 }), []);
  assert.deepEqual(await namesOf(t, { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: 0 }), ["sampled"]);
});

test("an invalid traceparent starts a new trace", async (t) => {
  const wrong = [
    "",
    "00",
    `ff-${traceId}-b7ad6b7169203331-01`,
    `00-${"0".repeat(32)}-b7ad6b7169203331-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `${sampled}-more`,
    sampled.toUpperCase(),
    `${sampled} `,
  ];
  const { collector, close } = await traced(t, {}, async () => {
    for (const parent of wrong) await span("wrong", {}, async () => {}, { parent });
    await span("later version", {}, async () => {}, { parent: `01-${traceId}-b7ad6b7169203331-01-more` });
  });
  await close();
  for (const { name, parentId, traceId: found } of collector.spans())
    assert.deepEqual([parentId === "", found === traceId], name === "wrong" ? [true, false] : [false, true]);
  assert.equal(collector.spans().length, wrong.length + 1);
});

test("a failed span has the error's code, not its message", async (t) => {
  const { collector, close } = await traced(t, {}, async () => {
    const fail = (error: Error) => span("fails", {}, () => Promise.reject(error));
    await assert.rejects(fail(new AppError("target_blocked", { message: "s3cret" })), /s3cret/);
    await assert.rejects(fail(new Error("s3cret")), /s3cret/);
  });
  await close();
  assert.deepEqual(
    collector.spans().map(({ hasFailed, attributes }) => [hasFailed, attributes]),
    [
      [true, { "error.type": "target_blocked" }],
      [true, { "error.type": "internal_error" }],
    ],
  );
  assert.ok(!collector.requests.some(({ body }) => body.includes("s3cret")));
});

test("while the collector doesn't respond, a limited number of spans is buffered", async (t) => {
  const held = Promise.withResolvers<ServerResponse>();
  const { collector, close } = await traced(t, {}, async () => {});
  collector.answer = held.resolve;
  const make = (count: number) => {
    for (let made = 0; made < count; made += 1) tracer?.open("one", {}).end();
  };
  make(600); // more than a batch, which is sent immediately
  const response = await held.promise;
  make(20_000);
  collector.answer = (later) => void later.end();
  response.end();
  await close();
  const { length } = collector.spans();
  assert.ok(length > 4_000 && length < 5_000, `${length} spans arrived`);
});

test("the collector's URL and lists of pairs are parsed as specified", () => {
  const of = (settings: Partial<Config>) =>
    collectorOf({ OTEL_SDK_DISABLED: false, OTEL_EXPORTER_OTLP_ENDPOINT: "", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "", ...settings });
  const base = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/otel/" };
  assert.equal(of({}), undefined);
  assert.equal(of(base), "http://collector:4318/otel/v1/traces");
  assert.equal(of({ ...base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://traces/" }), "http://traces/");
  assert.equal(of({ ...base, OTEL_SDK_DISABLED: true }), undefined);
  assert.deepEqual(parsePairs(" a=1 ,b=x%2Cy%20=,c="), { a: "1", b: "x,y =", c: "" });
});
