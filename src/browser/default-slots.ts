/** The default number of concurrent captures. */

import { availableParallelism, totalmem } from "node:os";

interface Machine {
  /** Processors that this process may use. */
  cores: number;
  /** Memory that this process and its browsers may use. */
  memoryBytes: number;
}

/**
 * For targets that respond immediately, two slots per core are enough, and four cost almost no throughput (docs/benchmark.md, "growth").
 * Slow targets benefit from more, because a waiting capture needs no CPU.
 */
const slotsPerCore = 4;
/** A browser uses 110 MB, and about twice that with a heavy page. */
const bytesPerSlot = 256 * 1024 * 1024;
const slotsMax = 200;

/** At least 1. Respects a container's CPU and memory limits. */
export function defaultSlots({ cores, memoryBytes }: Machine = thisMachine()): number {
  return Math.min(Math.max(1, Math.min(cores * slotsPerCore, Math.floor(memoryBytes / bytesPerSlot))), slotsMax);
}

function thisMachine(): Machine {
  const constrained = process.constrainedMemory(); // without a limit: 0, or more than the total
  return { cores: availableParallelism(), memoryBytes: Math.min(constrained || Number.POSITIVE_INFINITY, totalmem()) };
}
