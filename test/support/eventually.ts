/** Waits for conditions, with a timeout that nothing should reach. */

/** Calls `isTrue` until it resolves with true. It should do asynchronous work each time, such as a query, so that others can run. */
export async function eventually(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = AbortSignal.timeout(30_000);
  while (!(await isTrue())) if (deadline.aborted) throw new Error(`timed out: ${what}`);
}

/** `promise`, or an error if it takes longer than 30 s. */
export async function within<T>(what: string, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`timed out: ${what}`)), 30_000);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
