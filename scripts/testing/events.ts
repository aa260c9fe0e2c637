/** A reporter for Node's test runner that appends each event to the file `TEST_EVENTS`, a JSON object per line. */

import { appendFileSync } from "node:fs";
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";

/** A line of the file. */
export type EventLine =
  | { type: "began"; id: number; name: string }
  | { type: "ended"; id: number; name: string; ms: number; outcome: "passed" | "failed" | "skipped"; isSuite: boolean; error?: string }
  /** Resources that keep the process alive after all tests have ended. */
  | { type: "open"; resources: string[] }
  | { type: "finished" };

const file = process.env.TEST_EVENTS ?? "";
const resourcesAfterMs = 1_000;

/** The original timers, even while a test has mocked them. */
const { setTimeout, clearTimeout } = globalThis;

// biome-ignore lint/style/noDefaultExport: Node loads reporters by their default export
export default async function* events(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const running = new Set<number>();
  let timer: NodeJS.Timeout | undefined;
  for await (const event of source) {
    const line = lineOf(event);
    if (!line) continue;
    // Synchronous, so that nothing is lost when the process is killed or calls process.exit.
    appendFileSync(file, `${JSON.stringify(line)}\n`);
    if (line.type === "began") running.add(line.id);
    if (line.type === "ended") running.delete(line.id);
    clearTimeout(timer);
    if (line.type !== "ended" || running.size > 0) continue;
    timer = setTimeout(() => appendFileSync(file, `${JSON.stringify({ type: "open", resources: openResources() })}\n`), resourcesAfterMs);
    timer.unref();
  }
  clearTimeout(timer);
}

function lineOf({ type, data }: TestEvent): EventLine | undefined {
  if (type === "test:summary") return { type: "finished" };
  // Node's types don't have the identifiers yet.
  const { testId: id } = data as unknown as { testId: number };
  if (type === "test:dequeue") return { type: "began", id, name: data.name };
  if (type !== "test:complete") return undefined;
  const { passed, duration_ms: ms, error } = data.details;
  const outcome = data.skip !== undefined ? "skipped" : passed ? "passed" : "failed";
  const isSuite = data.details.type === "suite";
  return { type: "ended", id, name: data.name, ms, outcome, isSuite, ...(passed ? {} : { error: textOf(error) }) };
}

/** Node wraps errors thrown by tests. */
function textOf(error: (Error & { cause?: unknown }) | undefined): string {
  return inspect(error?.cause ?? error, { depth: 6 });
}

function openResources(): string[] {
  return [...new Set(process.getActiveResourcesInfo())].sort();
}
