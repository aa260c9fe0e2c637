/** Runs test files concurrently, and ends the run early if continuing is pointless. */

import { readFileSync } from "node:fs";
import { freemem } from "node:os";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { root } from "../stack/folders.ts";
import { idleShareSinceLast } from "./cores.ts";
import { type FileLimits, type FileResult, runFile } from "./run-file.ts";

export interface RunOptions {
  filesAtOnce: number;
  /** Limit while cores are idle, because tests often wait. Default: `filesAtOnce`. */
  filesAtOnceMax?: number;
  /** Idle share of the cores since the last call, 0 to 1. Default: measured on this machine. */
  idleShare?(): number;
  flags: string[];
  env: Record<string, string | undefined>;
  limits: FileLimits & { runMs: number; checkEveryMs: number };
  /** Folder for the files' output and events. */
  folder: string;
  /** Rejects if a shared server or resource is no longer available. */
  checkStack(): Promise<void>;
  onFile(result: FileResult): void;
}

export interface RunResult {
  files: FileResult[];
  /** Files that were not run because the run ended early. */
  notRun: string[];
  /** Why the run ended early. */
  ended?: string;
}

/** This many consecutive timeouts suggest a common cause, and end the run. */
const timeoutsInARowMax = 5;
/** An additional file starts if at least this share of the cores was idle for this long, and this much memory is left. */
const idleShareMin = 0.12;
const idleMs = 1_000;
const freeMemoryMinBytes = 2 * 2 ** 30;

/** @param files in the order in which they start. */
export async function runFiles(files: string[], options: RunOptions, signal: AbortSignal): Promise<RunResult> {
  const waiting = [...files];
  const results: FileResult[] = [];
  const end = new AbortController();
  const endRun = (reason: string) => end.abort(new Error(reason));
  const limit = setTimeout(() => endRun(`the whole run took more than ${options.limits.runMs / 60_000} minutes`), options.limits.runMs);
  const stopChecking = checkRepeatedly(options.checkStack, options.limits.checkEveryMs, endRun);
  const either = AbortSignal.any([signal, end.signal]);
  let timeoutsInARow = 0;
  let timed = 0;
  const runNext = async () => {
    const file = waiting.shift();
    if (file === undefined) return;
    const isTimed = dependsOnTime(file);
    if (isTimed) timed += 1;
    const result = await runFile(file, options, either);
    if (isTimed) timed -= 1;
    results.push(result);
    options.onFile(result);
    timeoutsInARow = result.timedOut ? timeoutsInARow + 1 : 0;
    if (timeoutsInARow >= timeoutsInARowMax) endRun(`${timeoutsInARowMax} files in a row timed out`);
  };
  const isGoingOn = () => waiting.length > 0 && !either.aborted;
  const worker = async () => {
    while (isGoingOn()) await runNext();
  };
  const { filesAtOnce, filesAtOnceMax = filesAtOnce, idleShare = idleShareSinceLast() } = options;
  const adding = () =>
    addWhileIdle({ idleShare: () => (timed > 0 ? 0 : idleShare()), max: filesAtOnceMax - filesAtOnce }, runNext, isGoingOn);
  try {
    await Promise.all([...Array.from({ length: filesAtOnce }, worker), adding()]);
  } finally {
    clearTimeout(limit);
    stopChecking();
  }
  return { files: results, notRun: waiting, ...(end.signal.aborted ? { ended: (end.signal.reason as Error).message } : {}) };
}

/** Whether the file has the comment "Depends on time: …". While it runs, no additional files are started. */
export function dependsOnTime(file: string): boolean {
  return /^\/\/ Depends on time: /m.test(readFileSync(resolve(root, file), "utf8"));
}

/** Calls `runNext` whenever the cores have been idle, up to `max` concurrently. */
async function addWhileIdle(
  { idleShare, max }: { idleShare(): number; max: number },
  runNext: () => Promise<void>,
  isGoingOn: () => boolean,
): Promise<void> {
  const added = new Set<Promise<void>>();
  while (max > 0 && isGoingOn()) {
    await pause(idleMs);
    if (idleShare() < idleShareMin || freemem() < freeMemoryMinBytes || added.size >= max) continue;
    const one: Promise<void> = runNext().finally(() => added.delete(one));
    added.add(one);
  }
  await Promise.all(added);
}

/** Ends the run after two consecutive failures: a single one may only mean that the machine is busy. */
function checkRepeatedly(check: () => Promise<void>, everyMs: number, endRun: (reason: string) => void): () => void {
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  const checkOnce = async () => {
    try {
      await check();
      failures = 0;
    } catch (error) {
      failures += 1;
      if (failures === 2) endRun((error as Error).message);
    }
    timer = timer && setTimeout(checkOnce, everyMs);
  };
  timer = setTimeout(checkOnce, everyMs);
  return () => {
    clearTimeout(timer);
    timer = undefined;
  };
}
