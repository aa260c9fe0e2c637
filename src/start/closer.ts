/** Shuts the process down in phases, each of which has a deadline. */

import type { Server } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { BaseLogger } from "pino";
import { onAbort } from "../shared/deadline.ts";

/**
 * In order: each phase begins once the previous phase has ended. A phase's components close concurrently and share its deadline:
 * - `requests`: new connections are refused, and running requests are completed.
 * - `work`: running jobs and refreshes finish; periodic tasks and listeners stop.
 * - `flush`: images are uploaded, usage counts written and mail sent; browsers are closed.
 * - `connections`: connections to the stores and to the trace collector are closed.
 */
const phases = ["requests", "work", "flush", "connections"] as const;

type Phase = (typeof phases)[number];

export interface ClosingTimes {
  /** Milliseconds from the start of a phase until its components' signal aborts. */
  deadlineMs: Record<Phase, number>;
  /**
   * Additional time for a component to record that the deadline interrupted it; after that, the next phase begins without waiting for it.
   */
  recordingMs: number;
}

const recordingMs = 5_000;
/** Time from a request's deadline to the end of its response. */
const answeringMs = 5_000;

/** @param requestTimeoutMs `SCREENSHOT_TIMEOUT`, the deadline of a request. */
export function closingTimes(requestTimeoutMs: number): ClosingTimes {
  return { deadlineMs: { requests: requestTimeoutMs + answeringMs, work: 30_000, flush: 20_000, connections: 5_000 }, recordingMs };
}

/** Maximum duration of the whole shutdown, in milliseconds. */
export const closingMsMax = ({ deadlineMs, recordingMs: extraMs }: ClosingTimes): number =>
  phases.reduce((sum, phase) => sum + deadlineMs[phase] + extraMs, 0);

/**
 * Registers how to close `service`, and returns `service`. `deadline` aborts after `ms` milliseconds, when `close` should stop waiting.
 * @throws if the process is already closing.
 */
export type Opens = <T>(phase: Phase, service: T, close: (service: T, deadline: AbortSignal, ms: number) => unknown) => T;

type Close = (deadline: AbortSignal, ms: number) => unknown;

export interface Closer {
  opens: Opens;
  /** Closes everything that was opened. Never rejects; further calls wait for the first. */
  closeAll(): Promise<void>;
}

/** @param times called when closing begins. */
export function createCloser(log: BaseLogger, times: () => ClosingTimes): Closer {
  const closers: Record<Phase, Close[]> = { requests: [], work: [], flush: [], connections: [] };
  let closing: Promise<void> | undefined;

  async function closeInPhases(): Promise<void> {
    const { deadlineMs, recordingMs: extraMs } = times();
    for (const phase of phases) await closePhase(closers[phase], phase, deadlineMs[phase], extraMs);
  }

  async function closePhase(parts: Close[], phase: Phase, ms: number, extraMs: number): Promise<void> {
    const [deadline, ended] = [new AbortController(), new AbortController()];
    let open = parts.length;
    const closed = parts.map(async (close) => {
      try {
        await close(deadline.signal, ms);
      } catch (error) {
        log.warn({ err: error, phase }, "failed to close a component");
      } finally {
        open -= 1;
      }
    });
    const abandoned = async () => {
      await delay(ms, undefined, { signal: ended.signal });
      deadline.abort(new Error(`the phase "${phase}" of the shutdown took longer than ${ms} ms`));
      await delay(extraMs, undefined, { signal: ended.signal });
      log.warn({ phase, open }, "components did not close in time");
    };
    await Promise.race([Promise.all(closed), abandoned()]).finally(() => ended.abort());
  }

  return {
    opens(phase, service, close) {
      if (closing) throw new Error("the process is shutting down");
      closers[phase].push((deadline, ms) => close(service, deadline, ms));
      return service;
    },
    closeAll() {
      closing ??= closeInPhases();
      return closing;
    },
  };
}

/** Pause between two looks for connections whose last response has ended. */
const idleEveryMs = 50;

/**
 * Finishes running requests. Connections that remain at the deadline are closed. A response whose headers were sent before the shutdown
 * doesn't say that its connection will be closed: its client keeps it, and Node looks for idle connections only when closing begins.
 */
export async function closeServer(app: { server: Server; close(): PromiseLike<unknown> }, deadline: AbortSignal): Promise<void> {
  onAbort(deadline, () => app.server.closeAllConnections());
  const idle = setInterval(() => app.server.closeIdleConnections(), idleEveryMs);
  try {
    await app.close();
  } finally {
    clearInterval(idle);
  }
}
