/** Waits for what comes true by itself, and for no longer than anything should take. */

/** Asks `isTrue` until it says yes; each time it should do some work that lets others run, as a query does. */
export async function eventually(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = AbortSignal.timeout(10_000);
  while (!(await isTrue())) if (deadline.aborted) throw new Error(`it did not come true in time: ${what}`);
}

/** `promise`, or an error when it takes longer than anything here should. */
export async function within<T>(what: string, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`it did not come true in time: ${what}`)), 10_000);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
