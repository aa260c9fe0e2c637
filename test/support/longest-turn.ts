/** Measures turns of the event loop in processor time of this thread, which other programs don't lengthen. */

/** The longest turn while `work` runs, in milliseconds. */
export async function longestTurn<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  let [ms, isDone] = [0, false];
  let last = process.threadCpuUsage();
  const turn = () => {
    const { user, system } = process.threadCpuUsage(last);
    ms = Math.max(ms, (user + system) / 1000);
    last = process.threadCpuUsage();
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    const result = await work();
    await new Promise(setImmediate);
    return { ms, result };
  } finally {
    isDone = true;
  }
}
