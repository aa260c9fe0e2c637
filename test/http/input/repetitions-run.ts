/**
 * Sends requests with repetitive texts and measures each of them: none may keep the process busy, or use much more memory than its size.
 */

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { longestTurn, slownessOfMachine } from "../../support/longest-turn.ts";
import type { Scope } from "../../support/scope.ts";
import { type Sent, startSender } from "../../support/sender.ts";
import { signedUp, startWithVisitors } from "../../support/visitor.ts";
import { fieldsOf } from "./repetitions.ts";

/** Longest turn of the event loop that other callers don't notice, in milliseconds of CPU time on a machine of usual speed. */
const turnMaxMs = 100;
/** How much the process may grow by for a request: the first number times the request's bytes, plus the second. */
const memory = { factor: 10, spareBytes: 50 * 1024 * 1024 };
/** Minimum number of large texts for each field. */
const largeMin = 2;
/** The first measurement may include a garbage collection or the compilation of code. */
const triesMax = 4;

export interface Run {
  /** Size of each request. */
  bytes: number;
  /**
   * Whether only fields that may be megabytes long are sent, each with a few of its texts. These differ from field to field, so that every
   * text is sent in some of them.
   */
  isLarge?: boolean;
  /** One of `every` requests is sent, starting at a different offset for each field; of large ones, those of one of `every` fields. */
  every: number;
  /** Index of the part to run, from 0; other parts send other requests. */
  part?: number;
}

export async function startRepetitions(scope: Scope) {
  const service = await startWithVisitors(scope, { MAX_REQUEST_BODY_MB: "5" });
  const user = await signedUp(service);
  const { key } = await service.createAccount({ quota: 0 });
  const { key: boundKey } = await service.createAccount({ quota: 0, domains: ["localhost"] });
  const cookie = [...user.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const fields = await fieldsOf(service.services.takeSchema, { key, boundKey, session: { cookie, origin: "http://localhost:3001" } });
  const sender = startSender();
  scope.after(sender.stop);
  return { service, fields, sender };
}

export async function sendRepetitions(
  t: TestContext,
  { service, fields, sender }: Awaited<ReturnType<typeof startRepetitions>>,
  { bytes, isLarge = false, every, part = 0 }: Run,
): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const allowedBytes = memory.factor * bytes + memory.spareBytes;
  let address = 0;
  const measure = async (sent: Sent) => {
    address += 1; // attempts are limited by address
    const from = `10.${address >> 16}.${(address >> 8) & 255}.${address & 255}`;
    const headers = { "x-forwarded-for": from, ...sent.headers };
    const measured = await longestTurn(() => sender.send({ ...sent, origin: service.origin, headers }));
    return measured.ms <= turnMaxMs ? measured : { ...measured, ms: measured.ms / slownessOfMachine() };
  };
  const problems: string[] = [];
  const slowest: { ms: number; what: string }[] = [];
  const statuses: Record<number, number> = {};
  const chosen = fields.filter((one) => one.isLarge || !isLarge);
  const fewOf = isLarge ? rotation(chosen) : undefined;
  for (const [index, field] of chosen.entries()) {
    const few = fewOf?.(field);
    for (const [number, shape] of field.shapes.entries()) {
      if (few ? index % every !== part || !few.has(number) : (index + number + part) % every !== 0) continue;
      t.signal.throwIfAborted(); // otherwise it would continue during the next test
      const sent = field.sent(shape, bytes);
      const what = `${field.what}: ${JSON.stringify(shape)}`;
      let measured = await measure(sent);
      const isFine = () => measured.ms <= turnMaxMs && measured.grownBytes <= allowedBytes;
      for (let tries = 1; tries < triesMax && !isFine(); tries += 1) {
        collect();
        const again = await measure(sent);
        measured = { ...again, ms: Math.min(measured.ms, again.ms), grownBytes: Math.min(measured.grownBytes, again.grownBytes) };
      }
      if (!isFine()) problems.push(`${what}: ${Math.round(measured.ms)} ms, ${Math.round(measured.grownBytes / 2 ** 20)} MB`);
      if (measured.result.status >= 500) problems.push(`${what}: ${measured.result.status} ${measured.result.text}`);
      statuses[measured.result.status] = (statuses[measured.result.status] ?? 0) + 1;
      slowest.push({ ms: measured.ms, what });
    }
  }
  slowest.sort((one, other) => other.ms - one.ms);
  t.diagnostic(`${slowest.length} requests: ${JSON.stringify(statuses)}`);
  for (const { ms, what } of slowest.slice(0, 5)) t.diagnostic(`${Math.round(ms)} ms ${what}`);
  assert.deepEqual(problems, []);
}

/** Chooses shapes for one field after another, which together get all shapes of their kind. */
function rotation(fields: { shapes: readonly unknown[] }[]): (field: { shapes: readonly unknown[] }) => Set<number> {
  const next = new Map<unknown, number>();
  return ({ shapes }) => {
    const count = Math.max(largeMin, Math.ceil(shapes.length / fields.filter((one) => one.shapes === shapes).length));
    const first = next.get(shapes) ?? 0;
    next.set(shapes, first + count);
    return new Set(Array.from({ length: count }, (_, index) => (first + index) % shapes.length));
  };
}
