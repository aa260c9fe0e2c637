/** Listeners of the browser's events, of which a page may cause thousands. */

export type Listener = (payload: unknown) => void;
const containing = new WeakMap<Listener, Listener>();

/**
 * The listener without its errors: only the first is reported, as an unhandled rejection, and the event's other listeners are still called.
 * The result is the same for each call, so that it can be removed.
 */
export function contained(listener: Listener): Listener {
  const known = containing.get(listener);
  if (known) return known;
  let hasFailed = false;
  const made: Listener = (payload) => {
    try {
      listener(payload);
    } catch (error) {
      if (!hasFailed) void Promise.reject(error);
      hasFailed = true;
    }
  };
  containing.set(listener, made);
  return made;
}
