/** A small constant load on the service, with its outcomes in each phase of a fault. */

import assert from "node:assert/strict";

/** Sends one request; `turn` is different each time. */
export type Ask = (turn: number, signal: AbortSignal) => Promise<Response>;

export interface Seen {
  kind: string;
  /** The phase in which it was sent. */
  phase: string;
  /** Sent in one phase, completed in another. */
  crossed: boolean;
  /** `200 HIT`, `503 unavailable`; `hung` or `broken` without a complete response. */
  outcome: string;
  retryAfter: string | null;
  ms: number;
}

export interface Load {
  seen: Seen[];
  /** Starts a phase; resolves after `count` responses of each kind. */
  phase(name: string, count: number): Promise<Seen[]>;
  /** Starts a phase; resolves when the latest responses of each kind match `expected`. */
  recovery(name: string, expected: Record<string, RegExp>): Promise<void>;
  /** Resolves when all requests have completed. */
  stop(): Promise<void>;
}

const workers = 3;
/** Several times the longest time that a request may take. */
export const hungAfterMs = 60_000;
const recoveryTimeoutMs = 60_000;
const inARow = 3;

/** Each worker sends requests of one kind, one after another without pauses. */
export function startLoad(kinds: Record<string, Ask>): Load {
  const seen: Seen[] = [];
  let phase = "starting";
  let turn = 0;
  let stopped = false;
  let notify = Promise.withResolvers<void>();

  async function ask(kind: string, ask: Ask): Promise<void> {
    const begun = { phase, at: performance.now() };
    turn += 1;
    const { outcome, retryAfter } = await outcomeOf(ask(turn, AbortSignal.timeout(hungAfterMs)));
    seen.push({ kind, phase: begun.phase, crossed: phase !== begun.phase, outcome, retryAfter, ms: performance.now() - begun.at });
    notify.resolve();
    notify = Promise.withResolvers();
  }

  const running = Array.from({ length: workers }, async () => {
    while (!stopped) for (const [kind, asks] of Object.entries(kinds)) if (!stopped) await ask(kind, asks);
  });

  async function begin(name: string, isOver: (of: (kind: string) => Seen[]) => boolean): Promise<Seen[]> {
    phase = name;
    const all = () => seen.filter((one) => one.phase === name && !one.crossed);
    while (!isOver((kind) => all().filter((one) => one.kind === kind))) await notify.promise;
    return all();
  }

  return {
    seen,
    phase: (name, count) => begin(name, (of) => Object.keys(kinds).every((kind) => of(kind).length >= count)),
    async recovery(name, expected) {
      const deadline = performance.now() + recoveryTimeoutMs;
      await begin(name, (of) => {
        const last = Object.keys(kinds).flatMap((kind) => of(kind).slice(-inARow));
        assert.ok(performance.now() < deadline, `no recovery: ${JSON.stringify(last)}`);
        return last.length === inARow * Object.keys(kinds).length && last.every(({ kind, outcome }) => expected[kind]?.test(outcome));
      });
    },
    async stop() {
      stopped = true;
      await Promise.all(running);
    },
  };
}

async function outcomeOf(asked: Promise<Response>): Promise<Pick<Seen, "outcome" | "retryAfter">> {
  try {
    const response = await asked;
    const body = await response.arrayBuffer();
    const what = response.ok ? response.headers.get("x-cache") : JSON.parse(Buffer.from(body).toString()).code;
    return { outcome: `${response.status} ${what}`, retryAfter: response.headers.get("retry-after") };
  } catch (error) {
    return { outcome: (error as Error).name === "TimeoutError" ? "hung" : `broken: ${(error as Error).message}`, retryAfter: null };
  }
}

/** One line per phase: outcomes with their counts, and the slowest response. */
export function tableOf(seen: Seen[]): string[] {
  return Object.entries(Object.groupBy(seen, ({ phase }) => phase)).map(([phase, some = []]) => {
    const counts = Object.entries(Object.groupBy(some, ({ kind, outcome }) => `${kind} ${outcome}`)).map(
      ([what, each = []]) => `${what} ×${each.length}`,
    );
    return `${phase.padEnd(12)} | ${counts.sort().join(", ")} | slowest ${Math.round(Math.max(...some.map(({ ms }) => ms)))} ms`;
  });
}
