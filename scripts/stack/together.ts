/** Starts two parts at the same time, and stops them at the same time. */

/**
 * @param starts functions that start the parts; their signal aborts if the other part fails, or with `signal`.
 * @throws the first failure, after the other part has stopped.
 */
export async function together<A extends AsyncDisposable, B extends AsyncDisposable>(
  starts: [(signal: AbortSignal) => Promise<A>, (signal: AbortSignal) => Promise<B>],
  signal: AbortSignal,
): Promise<AsyncDisposable & { parts: [A, B] }> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const starting = [starts[0](either), starts[1](either)] as const;
  try {
    const parts: [A, B] = await Promise.all(starting);
    return { parts, [Symbol.asyncDispose]: () => stopAll(parts) };
  } catch (error) {
    failed.abort();
    const started = await Promise.allSettled(starting);
    await stopAll(started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])));
    throw error;
  }
}

/** Disposes of all at the same time. @throws the first failure, once all have ended. */
export async function stopAll(parts: readonly AsyncDisposable[]): Promise<void> {
  const stopped = await Promise.allSettled(parts.map((part) => part[Symbol.asyncDispose]()));
  for (const one of stopped) if (one.status === "rejected") throw one.reason;
}
