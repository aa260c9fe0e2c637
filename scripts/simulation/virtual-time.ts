/** A virtual clock: timers fire in the order in which they are due, without waiting in real time. */

export interface VirtualTime {
  /** Milliseconds since the start. */
  now(): number;
  at(ms: number, work: () => void): void;
  /** Runs all timers due by `endMs`. Replaces the global timers while it runs. */
  run(endMs: number): Promise<void>;
}

interface Timer {
  at: number;
  order: number;
  work: (() => void) | undefined;
}

export function createVirtualTime(): VirtualTime {
  const heap: Timer[] = [];
  let nowMs = 0;
  let order = 0;

  const add = (at: number, work: () => void): Timer => {
    order += 1;
    const timer = { at: Math.max(at, nowMs), order, work };
    push(heap, timer);
    return timer;
  };

  return {
    now: () => nowMs,
    at: (ms, work) => void add(ms, work),
    async run(endMs) {
      const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
      const virtual = {
        setTimeout: (work: () => void, ms = 0) => add(nowMs + ms, work),
        clearTimeout: (timer?: Timer) => {
          if (timer) timer.work = undefined;
        },
      };
      Object.assign(globalThis, virtual);
      try {
        while (heap.length > 0 && (heap[0] as Timer).at <= endMs) {
          const { at, work } = pop(heap);
          if (!work) continue;
          nowMs = at;
          work();
          await settled();
        }
        nowMs = endMs;
      } finally {
        Object.assign(globalThis, real);
      }
    },
  };
}

/** Resolves once all pending promise callbacks have run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const isBefore = (a: Timer, b: Timer) => a.at < b.at || (a.at === b.at && a.order < b.order);

function push(heap: Timer[], timer: Timer): void {
  let index = heap.push(timer) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (!isBefore(timer, heap[parent] as Timer)) break;
    heap[index] = heap[parent] as Timer;
    index = parent;
  }
  heap[index] = timer;
}

function pop(heap: Timer[]): Timer {
  const first = heap[0] as Timer;
  const last = heap.pop() as Timer;
  let index = 0;
  while (heap.length > 0) {
    let child = 2 * index + 1;
    if (child + 1 < heap.length && isBefore(heap[child + 1] as Timer, heap[child] as Timer)) child += 1;
    if (child >= heap.length || !isBefore(heap[child] as Timer, last)) break;
    heap[index] = heap[child] as Timer;
    index = child;
  }
  if (heap.length > 0) heap[index] = last;
  return first;
}
