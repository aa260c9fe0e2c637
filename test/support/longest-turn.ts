/** The longest turn of the event loop, in processor time of this thread: other processes don't lengthen it. */

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
