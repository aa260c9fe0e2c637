/**
 * Page time, which passes only when `advance` is called or a script busy-waits. Runs in the page, before its scripts, so it must be
 * self-contained.
 */

export interface PageTimers {
  /** Page time in milliseconds. */
  now(): number;
  /** Calls `run` after `delay` milliseconds and, with `repeats`, again at that interval. Returns an id. */
  add(run: () => void, delay: unknown, repeats?: boolean): number;
  /** Calls `run` in the next frame. Returns an id. */
  addFrame(run: FrameRequestCallback): number;
  remove(id: unknown): void;
  /**
   * Runs everything due by `to`, each timer and each frame in its own task. Stops once `realMs` have passed. Resolves without a value, because
   * a page that defines `Object.prototype.then` chooses what a promise of an object resolves with.
   */
  advance(to: number, realMs: number): Promise<void>;
  /** Time at which the next callback is due, whether the last `advance` ran any, and whether it stopped at its limit. */
  advanced(): { next: number | null; ran: boolean; isLate: boolean };
}

interface Timer {
  at: number;
  every?: number;
  depth: number;
  run: () => void;
}

interface PageTasks {
  /** Real time in milliseconds, from an arbitrary origin. */
  realNow(): number;
  /** Resolves in a new task. */
  next(): Promise<void>;
  /** Calls `run`, and reports exceptions as the browser does. */
  call(run: () => void): void;
}

export function createTasks(): PageTasks {
  const { port1, port2 } = new MessageChannel();
  return {
    realNow: performance.now.bind(performance), // because `performance.now` is replaced
    next: () =>
      new Promise<void>((resolve) => {
        port1.onmessage = () => resolve();
        port2.postMessage(0);
      }),
    call: (run) => {
      try {
        run();
      } catch (error) {
        reportError(error); // looked up here, because a worker that hasn't started lacks it
      }
    },
  };
}

export function createTimers({ realNow, next, call }: PageTasks): PageTimers {
  const framesPerSecond = 60;
  /** Each read beyond this many in one callback advances the clock. Otherwise a busy-waiting loop would never end. */
  const readsMax = 100_000;
  const timers = new Map<number, Timer>();
  const frames = new Map<number, FrameRequestCallback>();
  let [now, lastId, depth, reads] = [0, 0, 0, 0];
  let [ran, isLate] = [false, false];

  const drawFrame = () => {
    // An earlier callback may have canceled this one.
    for (const [id, run] of [...frames]) if (frames.delete(id)) call(() => run(now));
  };
  const runTimer = (id: number, timer: Timer) => {
    timers.delete(id);
    if (timer.every !== undefined) timers.set(id, { ...timer, at: timer.at + timer.every });
    depth = timer.depth;
    call(timer.run);
    depth = 0;
  };
  const earliest = () => {
    let first =
      frames.size > 0 ? { at: (Math.floor((now * framesPerSecond) / 1000 + 1.001) * 1000) / framesPerSecond, run: drawFrame } : undefined;
    for (const [id, timer] of timers) if (!first || timer.at < first.at) first = { at: timer.at, run: () => runTimer(id, timer) };
    return first;
  };
  return {
    now: () => {
      reads += 1;
      if (reads > readsMax) now += 0.1;
      return now;
    },
    add: (run, delay, repeats) => {
      lastId += 1;
      // As in browsers: delays are 32-bit integers, and nested timers take at least 4 ms.
      const ms = Math.max(depth >= 4 ? 4 : 1, Number(delay) | 0);
      timers.set(lastId, { at: now + ms, run, depth: depth + 1, ...(repeats ? { every: Math.max(4, ms) } : {}) });
      return lastId;
    },
    addFrame: (run) => {
      lastId += 1;
      frames.set(lastId, run);
      return lastId;
    },
    remove: (id) => {
      timers.delete(Number(id));
      frames.delete(Number(id));
    },
    advance: async (to, realMs) => {
      const end = realNow() + realMs;
      [ran, isLate] = [false, false];
      for (let due = earliest(); due && due.at <= to && !isLate; due = earliest()) {
        [now, reads, ran] = [Math.max(now, due.at), 0, true];
        due.run();
        await next();
        isLate = realNow() > end;
      }
      if (!isLate) now = Math.max(now, to);
    },
    advanced: () => ({ next: earliest()?.at ?? null, ran, isLate }),
  };
}

/** Replaces `setTimeout`, `setInterval`, `requestAnimationFrame` and `requestIdleCallback`, and the functions that cancel them. */
export function replaceTimers(timers: PageTimers): void {
  const caller = (handler: unknown, args: unknown[]) => () => {
    if (typeof handler === "function") handler.apply(globalThis, args);
    // biome-ignore lint/security/noGlobalEval: a timer's handler may be a string of code
    else globalThis.eval(String(handler));
  };
  const idle = { didTimeout: false, timeRemaining: () => 50 };
  const replacements = {
    setTimeout: (handler: unknown, delay?: unknown, ...args: unknown[]) => timers.add(caller(handler, args), delay),
    setInterval: (handler: unknown, delay?: unknown, ...args: unknown[]) => timers.add(caller(handler, args), delay, true),
    requestAnimationFrame: (run: FrameRequestCallback) => timers.addFrame(run),
    requestIdleCallback: (run: IdleRequestCallback) => timers.add(() => run(idle), 1),
    clearTimeout: timers.remove,
    clearInterval: timers.remove,
    cancelAnimationFrame: timers.remove,
    cancelIdleCallback: timers.remove,
  };
  const isWorker = typeof document === "undefined";
  // A worker that hasn't started has no timer globals yet, so it is impossible to test which ones it will have.
  for (const [name, value] of Object.entries(replacements))
    if (!isWorker || !name.endsWith("IdleCallback"))
      Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
}

export interface PageClockParts {
  createTasks(): PageTasks;
  createTimers(tasks: PageTasks): PageTimers;
  replaceTimers(timers: PageTimers): void;
  replaceDates(now: () => number, date: () => number, epoch: number): void;
  seedRandom(): void;
  createAnimations(now: () => number): { advance(to: number): { next: number | null } };
}

/** Installs the clock as a non-enumerable global called `name`. @param epoch start of page time, in milliseconds since 1970. */
export function installClock(parts: PageClockParts, epoch: number, name: string): void {
  if (name in globalThis) return;
  const timers = parts.createTimers(parts.createTasks());
  let isDateHeld = false;
  let failed = 0;
  /** Keeps all workers referenced: the browser terminates unreferenced workers that have no native timers. */
  const workers: Worker[] = [];
  /** Page time at which this document or worker was created; its timers and animations count from then. */
  let created: number | undefined;
  parts.replaceDates(timers.now, () => epoch + (isDateHeld ? 0 : (created ?? 0) + timers.now()), epoch);
  parts.replaceTimers(timers);
  parts.seedRandom();
  if (typeof Worker !== "undefined")
    globalThis.Worker = new Proxy(Worker, {
      construct: (native, args, target) => {
        const worker = Reflect.construct(native, args, target);
        workers.push(worker);
        // Only exceptions in a worker that has started are ErrorEvents.
        worker.addEventListener("error", (event: Event) => (failed += event instanceof ErrorEvent ? 0 : 1));
        return worker;
      },
    });
  const animations = typeof document === "undefined" ? undefined : parts.createAnimations(timers.now);
  const startedWorkers = () => workers.length - failed;
  /** Resolves with the properties of `Advanced` in their order, as a string. */
  const advance = async (from: number, to: number, realMs: number): Promise<string> => {
    created ??= from;
    await timers.advance(to - created, realMs);
    const { next, ran, isLate } = timers.advanced();
    const due = [next, animations?.advance(to - created).next ?? null].filter((at) => at !== null);
    return `${due.length > 0 ? created + Math.min(...due) : null} ${ran} ${isLate} ${startedWorkers()}`;
  };
  const holdDate = () => {
    isDateHeld = true;
  };
  Object.defineProperty(globalThis, name, { value: Object.freeze({ advance, holdDate, startedWorkers }) });
}
