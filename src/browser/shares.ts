/** Divides the time for messages fairly among the browsers: next is the one whose messages have taken the least time. */

/** A browser's messages that are to be delivered. */
export interface Waiting<M> {
  add(messages: M[]): void;
  count(): number;
  clear(): void;
}

interface Line {
  deliverOldest(): void;
  /** Time that its messages have taken, in milliseconds. */
  takenMs: number;
}

/** Time per turn for the messages of all browsers, in milliseconds. Looking a request up in the filter lists can take one by itself. */
const turnMs = 20;
/** When the first message of this turn was delivered. */
let turnBeganAt: number | undefined;

/** Browsers with messages to deliver. */
const lines = new Set<Line>();
/** `takenMs` of the browser chosen last. A browser that had no messages starts at this value, so it can't save up time. */
let clockMs = 0;

/**
 * Delivers each message in a separate task, and those of a browser in order. A browser with few messages is next as soon as it has one,
 * however many the others have.
 */
export function createWaiting<M>(deliver: (message: M) => void): Waiting<M> {
  const messages: M[] = [];
  const deliverOldest = () => {
    const [message] = messages.splice(0, 1) as [M];
    if (messages.length === 0) lines.delete(line);
    const began = performance.now();
    // Ticks run once no promise has anything left to do, so the time that this message's work took is known then.
    queueMicrotask(() => process.nextTick(() => (line.takenMs += performance.now() - began)));
    deliver(message);
  };
  const line: Line = { deliverOldest, takenMs: 0 };
  return {
    add: (more) => {
      if (more.length === 0) return;
      messages.push(...more);
      if (!lines.has(line)) line.takenMs = Math.max(line.takenMs, clockMs);
      lines.add(line);
      for (const _ of more) setImmediate(deliverNext);
    },
    count: () => messages.length,
    clear: () => {
      messages.length = 0;
      lines.delete(line);
    },
  };
}

/** Runs once for each message, whichever browser sent it; does nothing if messages have been cleared. */
function deliverNext(): void {
  if (lines.size === 0) return;
  if (!hasTime()) return void setImmediate(deliverNext);
  const next = [...lines].reduce((least, line) => (line.takenMs < least.takenMs ? line : least));
  clockMs = next.takenMs;
  next.deliverOldest();
}

/** Whether this turn has time for another message. */
function hasTime(): boolean {
  const now = performance.now();
  if (turnBeganAt === undefined) setImmediate(() => (turnBeganAt = undefined));
  turnBeganAt ??= now;
  return now - turnBeganAt < turnMs;
}
