/** The longest turn of the event loop, in CPU time of this thread, which other processes don't affect. */

/** @returns how long the longest turn took while `work` was awaited, in milliseconds, and by how much the process has grown, in bytes. */
export async function longestTurn<T>(work: () => Promise<T>): Promise<{ result: T; ms: number; grownBytes: number }> {
  const memory = process.memoryUsage.rss();
  let grownBytes = 0;
  let ms = 0;
  let isOver = false;
  let before = process.threadCpuUsage();
  const turn = () => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    ms = Math.max(ms, (user + system) / 1000);
    if (ms > 1) grownBytes = Math.max(grownBytes, process.memoryUsage.rss() - memory);
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    const result = await work();
    await new Promise(setImmediate);
    return { result, ms, grownBytes: Math.max(grownBytes, process.memoryUsage.rss() - memory) };
  } finally {
    isOver = true;
  }
}

/** Parsing `text` takes about `ms` of CPU time on the machine for which the limits on turns were chosen. */
const reference = { text: JSON.stringify(Array.from({ length: 100_000 }, (_, index) => ({ index, text: String(index) }))), ms: 20 };

/**
 * The best of up to five runs of `work`, which must be repeatable unless there is only one attempt. The result is scaled to a machine
 * as fast as the one the limits were chosen for: neither a garbage collection nor a slower CPU is a defect of the code.
 * @param enoughMs ends the repetition.
 */
export async function longestTurnAtBest<T>(
  work: () => Promise<T>,
  enoughMs = 100,
  attempts = 5,
): Promise<Awaited<ReturnType<typeof longestTurn<T>>>> {
  const slowness = slownessOfMachine();
  const run = async () => {
    const { ms, ...measured } = await longestTurn(work);
    return { ...measured, ms: ms / slowness };
  };
  let best = await run();
  for (let attempt = 1; attempt < attempts && best.ms >= enoughMs; attempt += 1) {
    const next = await run();
    best = { ...next, ms: Math.min(best.ms, next.ms), grownBytes: Math.min(best.grownBytes, next.grownBytes) };
  }
  return best;
}

/** How many times slower this machine is at the moment than the one for which the limits were chosen; at least 1. */
export function slownessOfMachine(): number {
  return Math.max(1, parseMs() / reference.ms);
}

function parseMs(): number {
  const times = Array.from({ length: 5 }, () => {
    const before = process.threadCpuUsage();
    JSON.parse(reference.text);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}
