/** Traces that go on in the process that runs a job. */

import type { JobWithMetadata } from "pg-boss";
import { currentTracer, span } from "../tracing.ts";

/** What a job's row carries; null: nothing. */
export type JobData = {
  /** In place of the row's own id. */
  id?: string;
  /** Of the span that sent it. */
  traceparent?: string;
} | null;

/** @param insert gets what the jobs' data must have; undefined without traces. */
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

/** @param work gets the job's id, as its sender knows it. */
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
