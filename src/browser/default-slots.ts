/** How many captures run at the same time where the operator doesn't say. */

import { availableParallelism, totalmem } from "node:os";

interface Machine {
  /** Processors that this process may use. */
  cores: number;
  /** Memory that this process and its browsers may use. */
  memoryBytes: number;
}

/**
 * Two for each core are enough where targets answer at once; with four that costs 7 % of the throughput, but targets that take seconds to
 * answer need as many (docs/benchmark.md, "growth").
 */
const slotsPerCore = 4;
/** 110 MB, and about as much again for a heavy page. */
const bytesPerSlot = 256 * 1024 * 1024;
const slotsMax = 200;

/** At least 1. Containers' limits of processors and memory count. */
export function defaultSlots({ cores, memoryBytes }: Machine = thisMachine()): number {
  return Math.min(Math.max(1, Math.min(cores * slotsPerCore, Math.floor(memoryBytes / bytesPerSlot))), slotsMax);
}

function thisMachine(): Machine {
  const constrained = process.constrainedMemory(); // 0 or more than there is where there is no limit
  return { cores: availableParallelism(), memoryBytes: Math.min(constrained || Number.POSITIVE_INFINITY, totalmem()) };
}
