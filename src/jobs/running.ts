/** Tracks this process's running jobs, and continues the traces of the processes that sent them. */

import { setTimeout as pause } from "node:timers/promises";
import type { JobWithMetadata } from "pg-boss";
import { span, tracer } from "../telemetry/tracing.ts";

const pollMs = 200;

export function createRunning() {
  const jobs = new Set<Promise<void>>();
  return {
    /** @returns a promise that settles as `job` does. */
    track(job: Promise<void>): Promise<void> {
      jobs.add(job);
      return job.finally(() => jobs.delete(job));
    },
    /** Settles as `ending` does, but calls `onIdle` and resolves once no job has been running for `graceMs`. */
    async untilIdle(ending: Promise<void>, graceMs: number, onIdle: () => void): Promise<void> {
      let isEnded = false;
      const ended = ending.finally(() => {
        isEnded = true;
      });
      const idle = async () => {
        for (let idleMs = 0; !isEnded && idleMs < graceMs; idleMs = jobs.size > 0 ? 0 : idleMs + pollMs) await pause(pollMs);
        if (!isEnded) onIdle();
      };
      await Promise.race([ended, idle()]);
    },
  };
}

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
  if (!tracer) return insert(undefined);
  const work = () => {
    const traceparent = tracer?.traceparent();
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
