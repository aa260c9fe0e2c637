/** Continues a trace in the process that runs the job. */

import type { JobWithMetadata } from "pg-boss";
import { currentTracer, span } from "../telemetry/tracing.ts";

/** Payload of a job's row; null if it has none. */
export type JobData = {
  /** The job's id, if it differs from the row's. */
  id?: string;
  /** Span that sent the job. */
  traceparent?: string;
} | null;

/** @param insert receives the payload to add to the jobs; undefined if tracing is off. */
export function traceSend(
  queue: string,
  count: number,
  insert: (data: { traceparent: string } | undefined) => Promise<void>,
): Promise<void> {
  const tracer = currentTracer();
  if (!tracer) return insert(undefined);
  const work = () => {
    const traceparent = tracer.traceparent();
    return insert(traceparent === undefined ? undefined : { traceparent });
  };
  return span(`send ${queue}`, { "messaging.batch.message_count": count }, work, { kind: "producer" });
}

/** @param work receives the job's id as known to its sender. */
export function traceRun(job: JobWithMetadata<JobData>, work: (id: string) => Promise<void>): Promise<void> {
  const { name, data, retryCount, startedOn, startAfter } = job;
  const id = data?.id ?? job.id;
  const facts = {
    "tintype.job.id": id,
    "tintype.job.retries": retryCount,
    "tintype.job.waited_ms": Math.max(0, new Date(startedOn).getTime() - new Date(startAfter).getTime()),
  };
  return span(`run ${name}`, facts, () => work(id), { kind: "consumer", parent: data?.traceparent });
}
