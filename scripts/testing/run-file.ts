/** Runs a test file in a separate process, and kills it if it hangs. */

import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Child, startChild } from "../stack/child.ts";
import { root } from "../stack/folders.ts";
import type { EventLine } from "./events.ts";
import { endMarked, killMarked, markName } from "./processes.ts";

export interface FileLimits {
  /** A file that emits no test event for this long counts as hung. */
  silenceMs: number;
  fileMs: number;
  /** Grace period after the end of the file for processes that its tests have stopped. */
  leftProcessMs: number;
}

export interface TestResult {
  name: string;
  ms: number;
  outcome: "passed" | "failed" | "skipped";
  error?: string;
}

export interface FileResult {
  file: string;
  ms: number;
  tests: TestResult[];
  /** A failure of the file itself, apart from failed tests. */
  problem?: string;
  timedOut: boolean;
  /** The end of its output. */
  output: string;
}

interface FileOptions {
  /** Flags for Node. */
  flags: string[];
  env: Record<string, string | undefined>;
  limits: FileLimits;
  /** Folder for its output and events. */
  folder: string;
}

const reporter = fileURLToPath(new URL("events.ts", import.meta.url));
const asyncContext = new URL("async-context.ts", import.meta.url).href;
const lookEveryMs = 200;
const outputLines = 30;
const outputBytes = 16 * 1024;

/** Failures of the file are returned as `problem`, not thrown. Aborting kills the file, with the reason as its `problem`. */
export async function runFile(file: string, { flags, env, limits, folder }: FileOptions, signal: AbortSignal): Promise<FileResult> {
  const mark = randomBytes(8).toString("hex");
  const paths = { events: join(folder, `${mark}.events`), log: join(folder, `${mark}.log`) };
  const startedAt = performance.now();
  // The output goes to a file, because a pipe stays open until every process that inherited it has exited.
  const runner = [`--import=${asyncContext}`, `--test-reporter=${reporter}`, "--test-reporter-destination=stdout"];
  const child = startChild([process.execPath, ...flags, ...runner, file], {
    cwd: root,
    env: { ...env, TEST_EVENTS: paths.events, [markName]: mark },
    logFile: paths.log,
  });
  const stopped = await watchFile(child, { events: paths.events, startedAt, limits, kill: () => killMarked(mark, child.pid) }, signal);
  const how = await child.ended;
  const left = await endMarked(mark, stopped === undefined ? limits.leftProcessMs : 0);
  const lines = eventsOf(paths.events);
  const problem = stopped === undefined ? endProblem(how, lines, left) : `${stopped}; ${stateOf(lines)}`;
  return {
    file,
    ms: performance.now() - startedAt,
    tests: testsOf(lines),
    ...(problem === undefined ? {} : { problem }),
    timedOut: stopped !== undefined && !signal.aborted,
    output: endOf(paths.log),
  };
}

/**
 * Resolves when the process has exited.
 * @returns why it was killed; undefined if it exited by itself.
 */
async function watchFile(
  child: Child,
  { events, startedAt, limits, kill }: { events: string; startedAt: number; limits: FileLimits; kill(): void },
  signal: AbortSignal,
): Promise<string | undefined> {
  let [lastSize, lastChangeAt] = [-1, startedAt];
  const hasEnded = child.ended.then(() => true);
  while (!(await Promise.race([hasEnded, pause(lookEveryMs, false)]))) {
    const now = performance.now();
    const size = sizeOf(events);
    if (size !== lastSize) [lastSize, lastChangeAt] = [size, now];
    const reason = signal.aborted
      ? `was ended: ${(signal.reason as Error).message}`
      : now - lastChangeAt > limits.silenceMs
        ? `did nothing for ${limits.silenceMs / 1000} s`
        : now - startedAt > limits.fileMs
          ? `took more than ${limits.fileMs / 1000} s`
          : undefined;
    if (reason === undefined) continue;
    kill();
    await child.stop("SIGKILL", 0);
    return reason;
  }
  return undefined;
}

/** The problem with a file that exited by itself. */
function endProblem(how: string, lines: EventLine[], left: { pid: number; command: string }[]): string | undefined {
  if (left.length > 0) return `left processes running: ${left.map(({ pid, command }) => `${pid} (${command})`).join(", ")}`;
  if (!lines.some(({ type }) => type === "finished")) return `ended with ${how} before its tests did; ${stateOf(lines)}`;
  const hasFailed = lines.some((line) => line.type === "ended" && line.outcome === "failed");
  return how === "exit code 0" || hasFailed ? undefined : `ended with ${how}`;
}

/** The running tests, or the resources that keep the process alive. */
function stateOf(lines: EventLine[]): string {
  const running = new Map<number, string>();
  for (const line of lines) {
    if (line.type === "began") running.set(line.id, line.name);
    if (line.type === "ended") running.delete(line.id);
  }
  if (running.size > 0) return `running: ${[...running.values()].slice(-3).join(" › ")}`;
  const open = lines.findLast((line) => line.type === "open");
  if (open?.type === "open") return `all its tests had ended, but something keeps its process open: ${open.resources.join(", ")}`;
  const last = lines.findLast((line) => line.type === "ended");
  return last?.type === "ended" ? `the last test to end was: ${last.name}` : "no test had begun";
}

function testsOf(lines: EventLine[]): TestResult[] {
  return lines.flatMap((line) => {
    // A suite fails if a test in it fails, so it counts by itself only if a hook failed.
    if (line.type !== "ended" || (line.isSuite && (line.outcome !== "failed" || /subtests? failed/.test(line.error ?? "")))) return [];
    const { name, ms, outcome, error } = line;
    return [{ name, ms, outcome, ...(error === undefined ? {} : { error }) }];
  });
}

function eventsOf(path: string): EventLine[] {
  if (sizeOf(path) < 1) return [];
  const complete = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return complete.map((line) => JSON.parse(line) as EventLine);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function endOf(path: string): string {
  const text = readFileSync(path, "utf8").slice(-outputBytes).trim();
  return text.split("\n").slice(-outputLines).join("\n");
}
