/** Records spans. Calls do almost nothing unless `sdk.ts` has set a tracer, which it does only if traces are exported. */

import { recordedCode } from "../shared/errors.ts";

/**
 * Facts about the work: names, sizes, codes, the service's own ids, and hosts. Never text from a caller or a page, such as a URL beyond its
 * host, a header, a cookie, an option's value or an error message: more people have access to traces than to the database.
 */
export type Attributes = Record<string, string | number | boolean | undefined>;

export type SpanKind = "server" | "client" | "producer" | "consumer";

export interface SpanOptions {
  /** Default: `internal`, work within the process. */
  kind?: SpanKind;
  /** A W3C traceparent, used instead of the current span. Ignored if invalid. */
  parent?: string | undefined;
  /** Unix milliseconds. Default: now. */
  startedAt?: number;
}

export interface OpenSpan {
  /** Setting `error.type` marks the work as failed. */
  set(attributes: Attributes): void;
  /** Calls `work` with this as the current span, to which new spans and log lines belong. */
  run<T>(work: () => T): T;
  /** @param endedAt Unix milliseconds. Default: now. */
  end(endedAt?: number): void;
}

export interface Tracer {
  open(name: string, attributes: Attributes, options?: SpanOptions): OpenSpan;
  /** The current span as a W3C traceparent; undefined if there is none. */
  traceparent(): string | undefined;
  /** Binds `work` to the current span, no matter where it is called from. */
  bind<A extends unknown[]>(work: (...args: A) => void): (...args: A) => void;
}

/** Undefined while no traces are exported. */
export let tracer: Tracer | undefined;

/** @param next if undefined, no more spans are recorded. */
export function setTracer(next: Tracer | undefined): void {
  tracer = next;
}

const noSpan: Pick<OpenSpan, "set"> = { set: () => {} };

/** Calls `work` within a new span, which is marked as failed if `work` rejects. */
export function span<T>(
  name: string,
  attributes: Attributes,
  work: (span: Pick<OpenSpan, "set">) => Promise<T>,
  options?: SpanOptions,
): Promise<T> {
  return tracer ? within(tracer.open(name, attributes, options), work) : work(noSpan);
}

async function within<T>(opened: OpenSpan, work: (span: OpenSpan) => Promise<T>): Promise<T> {
  try {
    return await opened.run(() => work(opened));
  } catch (error) {
    opened.set({ "error.type": recordedCode(error) });
    throw error;
  } finally {
    opened.end();
  }
}

/** A completed part of the current span's work; times are from `performance.now()`. */
export interface Phase {
  name: string;
  from: number;
  to: number;
}

/** @param failure the error that ended the last phase. */
export function recordPhases(phases: readonly Phase[], failure?: unknown): void {
  if (!tracer) return;
  const offset = Date.now() - performance.now();
  for (const [index, { name, from, to }] of phases.entries()) {
    const opened = tracer.open(name, {}, { startedAt: from + offset });
    if (failure !== undefined && index === phases.length - 1) opened.set({ "error.type": recordedCode(failure) });
    opened.end(to + offset);
  }
}
