/** Exports spans with OTLP over HTTP. Loaded only if tracing is configured. */

import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { DiagLogLevel, diag, ROOT_CONTEXT, type Span, type SpanContext, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { BaseLogger } from "pino";
import type { Config } from "../settings/config.ts";
import { collectorOf, parsePairs } from "../settings/tracing-settings.ts";
import { untilAborted } from "../shared/deadline.ts";
import { version } from "../shared/version.ts";
import { type OpenSpan, type SpanOptions, setTracer, type Tracer } from "./tracing.ts";

export interface Tracing {
  /** Fields for the log lines of the current span. */
  logFields(): { trace_id: string; span_id: string } | undefined;
  /** Sends the remaining spans until `deadline` aborts. Never rejects. */
  close(deadline: AbortSignal): Promise<void>;
}

/** Maximum number of spans waiting for the collector; further spans are dropped. */
const waitingMax = 4_096;
const batchMax = 512;
const batchEveryMs = 2_000;
/** Deadline for one batch, including all attempts. */
const exportTimeoutMs = 5_000;
/** Minimum time between log lines about an unreachable collector. */
const quietMs = 60_000;

/** Sets this process's tracer. */
export function startTracing(config: Config, log: BaseLogger): Tracing {
  const quiet = throttle(quietMs);
  diag.setLogger(
    { ...silent, warn: (message) => quiet(() => log.warn({ reason: message }, "trace exporter warning")) },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const exporter = new OTLPTraceExporter({
    url: collectorOf(config),
    headers: parsePairs(config.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMillis: exportTimeoutMs,
    concurrencyLimit: waitingMax / batchMax + 1, // on shutdown all batches are sent concurrently
  });
  const reported = reportFailures(exporter, ({ message }) => quiet(() => log.warn({ reason: message }, "failed to export traces")));
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.instance.id": randomUUID(),
      "service.version": version,
      "tintype.role": config.ROLE,
      ...parsePairs(config.OTEL_RESOURCE_ATTRIBUTES),
      "service.name": config.OTEL_SERVICE_NAME,
    }),
    sampler: samplerOf(config),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reported,
        maxQueueSize: waitingMax,
        maxExportBatchSize: batchMax,
        scheduledDelayMillis: batchEveryMs,
        exportTimeoutMillis: exportTimeoutMs,
      }),
    ],
  });
  const current = new AsyncLocalStorage<Span>();
  const tracer = tracerOf(provider, current);
  setTracer(tracer);
  return {
    logFields: () => {
      const context = current.getStore()?.spanContext();
      return context && { trace_id: context.traceId, span_id: context.spanId };
    },
    close: async (deadline) => {
      const shutdown = provider.shutdown().catch(() => {}); // the exporter reports failures
      await untilAborted(shutdown, deadline).catch(() => log.warn("the last traces could not be exported in time"));
    },
  };
}

function tracerOf(provider: TracerProvider, current: AsyncLocalStorage<Span>): Tracer {
  const spans = provider.getTracer("tintype", version);
  const parentOf = ({ parent }: SpanOptions): Span | undefined => {
    const remote = parent === undefined ? undefined : parseTraceparent(parent);
    return remote ? trace.wrapSpanContext(remote) : current.getStore();
  };
  return {
    open(name, attributes, options = {}) {
      const { kind, startedAt: startTime } = options;
      const parent = parentOf(options);
      const context = parent ? trace.setSpan(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
      const started = spans.startSpan(name, { kind: kinds[kind ?? "internal"], attributes, ...(startTime && { startTime }) }, context);
      return openSpan(started, current);
    },
    traceparent() {
      const context = current.getStore()?.spanContext();
      return context && `00-${context.traceId}-${context.spanId}-0${context.traceFlags & 1}`;
    },
    bind: (work) => AsyncLocalStorage.bind(work),
  };
}

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

function openSpan(started: Span, current: AsyncLocalStorage<Span>): OpenSpan {
  return {
    set(attributes) {
      started.setAttributes(attributes);
      if (attributes["error.type"] !== undefined) started.setStatus({ code: SpanStatusCode.ERROR });
    },
    run: (work) => current.run(started, work),
    end: (endedAt) => started.end(endedAt),
  };
}

/** See https://www.w3.org/TR/trace-context/#traceparent-header. `tracestate` is ignored, because it is free text from the caller. */
function parseTraceparent(text: string): SpanContext | undefined {
  const [, traceVersion, traceId = "", spanId = "", flags = ""] =
    /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:$|-)/.exec(text) ?? [];
  const isLonger = text.length > 55;
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId) || (traceVersion === "00" && isLonger)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: Config): Sampler {
  const root = name.endsWith("ratio")
    ? new TraceIdRatioBasedSampler(ratio)
    : name.endsWith("off")
      ? new AlwaysOffSampler()
      : new AlwaysOnSampler();
  return name.startsWith("parentbased") ? new ParentBasedSampler({ root }) : root;
}

function reportFailures(exporter: SpanExporter, onFailure: (error: Error) => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error) onFailure(result.error);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

const ignore = () => {};
const silent = { error: ignore, warn: ignore, info: ignore, debug: ignore, verbose: ignore };

/** Throttles calls to at most one per `everyMs`; additional calls are dropped. */
function throttle(everyMs: number): (work: () => void) => void {
  let nextAt = 0;
  return (work) => {
    if (performance.now() < nextAt) return;
    nextAt = performance.now() + everyMs;
    work();
  };
}
