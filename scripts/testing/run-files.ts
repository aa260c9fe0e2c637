/** Runs test files concurrently, longest first, and ends the run when going on makes no sense. */

import { type FileLimits, type FileResult, runFile } from "./run-file.ts";

export interface RunOptions {
  filesAtOnce: number;
  flags: string[];
  env: Record<string, string | undefined>;
  limits: FileLimits & { runMs: number; checkEveryMs: number };
  /** For outputs and events of files. */
  folder: string;
  /** Rejects if a server or a resource that all files share is gone. */
  checkStack(): Promise<void>;
  onFile(result: FileResult): void;
}

export interface RunResult {
  files: FileResult[];
  /** Files that were not run because the run had ended. */
  notRun: string[];
  /** Why the run ended early. */
  ended?: string;
}

/** So many files in a row that time out have a common cause. */
const timeoutsInARowMax = 5;

/** @param files in the order in which they begin. */
export async function runFiles(files: string[], options: RunOptions, signal: AbortSignal): Promise<RunResult> {
  const waiting = [...files];
  const results: FileResult[] = [];
  const end = new AbortController();
  const endRun = (reason: string) => end.abort(new Error(reason));
  const limit = setTimeout(() => endRun(`the whole run took more than ${options.limits.runMs / 60_000} minutes`), options.limits.runMs);
  const stopChecking = checkRepeatedly(options.checkStack, options.limits.checkEveryMs, endRun);
  const either = AbortSignal.any([signal, end.signal]);
  let timeoutsInARow = 0;
  const worker = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      if (either.aborted) {
        waiting.unshift(file);
        return;
      }
      const result = await runFile(file, options, either);
      results.push(result);
      options.onFile(result);
      timeoutsInARow = result.timedOut ? timeoutsInARow + 1 : 0;
      if (timeoutsInARow >= timeoutsInARowMax) endRun(`${timeoutsInARowMax} files in a row timed out`);
    }
  };
  try {
    await Promise.all(Array.from({ length: options.filesAtOnce }, worker));
  } finally {
    clearTimeout(limit);
    stopChecking();
  }
  return { files: results, notRun: waiting, ...(end.signal.aborted ? { ended: (end.signal.reason as Error).message } : {}) };
}

/** Ends the run after two failures in a row: one may be a busy machine's. */
function checkRepeatedly(check: () => Promise<void>, everyMs: number, endRun: (reason: string) => void): () => void {
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    try {
      await check();
      failures = 0;
    } catch (error) {
      failures += 1;
      if (failures === 2) endRun((error as Error).message);
    }
    timer = timer && setTimeout(look, everyMs);
  };
  timer = setTimeout(look, everyMs);
  return () => {
    clearTimeout(timer);
    timer = undefined;
  };
}
