/** Replaces dates, random numbers and animations with reproducible ones. Runs in the page, so each function must be self-contained. */

/** Replaces the time in `Date`, `Intl.DateTimeFormat`, `Temporal.Now`, `performance`, event timestamps and the document's timeline. */
export function replaceDates(now: () => number, date: () => number, epoch: number): void {
  const NativeDate = Date;
  const define = (of: object | undefined, name: string, property: PropertyDescriptor) => {
    if (of && name in of) Object.defineProperty(of, name, { configurable: true, ...property });
  };
  const PageDate = new Proxy(NativeDate, {
    construct: (native, args, target) => Reflect.construct(native, args.length > 0 ? args : [date()], target),
    apply: () => new NativeDate(date()).toString(),
  });
  define(NativeDate, "now", { value: () => Math.floor(date()), writable: true });
  define(NativeDate.prototype, "constructor", { value: PageDate, writable: true });
  define(globalThis, "Date", { value: PageDate, writable: true });

  const formats = Intl.DateTimeFormat.prototype;
  const { formatToParts } = formats;
  const format = Object.getOwnPropertyDescriptor(formats, "format")?.get;
  define(formats, "formatToParts", {
    value(this: Intl.DateTimeFormat, at = date()) {
      return formatToParts.call(this, at);
    },
    writable: true,
  });
  define(formats, "format", {
    get(this: Intl.DateTimeFormat) {
      const native = format?.call(this);
      return (at = date()) => native(at);
    },
  });

  // biome-ignore lint/suspicious/noExplicitAny: TypeScript's library lacks it
  const { Temporal } = globalThis as any;
  const zoned = (zone = Temporal.Now.timeZoneId()) => Temporal.Instant.fromEpochMilliseconds(Math.floor(date())).toZonedDateTimeISO(zone);
  define(Temporal?.Now, "instant", { value: () => zoned("UTC").toInstant() });
  define(Temporal?.Now, "zonedDateTimeISO", { value: zoned });
  for (const kind of ["PlainDateTime", "PlainDate", "PlainTime"])
    define(Temporal?.Now, `p${kind.slice(1)}ISO`, { value: (zone?: string) => zoned(zone)[`to${kind}`]() });

  define(Performance.prototype, "now", { value: now, writable: true });
  define(Performance.prototype, "timeOrigin", { get: () => epoch });
  define(Event.prototype, "timeStamp", { get: now });
  if (typeof AnimationTimeline === "undefined") return; // in a worker
  const timelines = AnimationTimeline.prototype;
  const current = Object.getOwnPropertyDescriptor(timelines, "currentTime")?.get;
  define(timelines, "currentTime", {
    get(this: AnimationTimeline) {
      return this instanceof DocumentTimeline ? now() : current?.call(this);
    },
  });
}

/** Makes `Math.random` return the same sequence in each document. Uses Mulberry32. */
export function seedRandom(): void {
  let state = 0x9e3779b9;
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface PageAnimations {
  /** Moves every running animation to its position at time `to`, and stops media. Returns when the next finite animation will end. */
  advance(to: number): { next: number | null };
}

/** Requires the document's timeline to be stopped, because positions are set explicitly. */
export function createAnimations(now: () => number): PageAnimations {
  const seen = new WeakMap<Animation, { since: number; from: number }>();
  const hold = (media: unknown) => {
    if (media instanceof HTMLMediaElement && media.playbackRate !== 0) media.playbackRate = 0;
  };
  document.addEventListener("play", ({ target }) => hold(target), true);

  const roots = () => {
    const found: (Document | ShadowRoot)[] = [document];
    // A form field may shadow `shadowRoot`, but has no `mode`.
    for (const root of found) for (const { shadowRoot } of root.querySelectorAll("*")) if (shadowRoot?.mode) found.push(shadowRoot);
    return found;
  };
  /** Scroll-driven animations don't move on their own. */
  const moves = ({ timeline, playState }: Animation) => timeline instanceof DocumentTimeline && playState === "running";
  const move = (animation: Animation, to: number): number => {
    const { effect, playbackRate } = animation;
    const end = Number(effect?.getComputedTiming().endTime ?? 0);
    const start = seen.get(animation) ?? { since: now(), from: playbackRate < 0 ? end : Math.max(0, Number(animation.currentTime)) };
    seen.set(animation, start);
    const position = start.from + (to - start.since) * playbackRate;
    if (playbackRate === 0) return Number.POSITIVE_INFINITY;
    if (playbackRate > 0 ? position >= end : position <= 0) {
      animation.finish();
      return Number.POSITIVE_INFINITY;
    }
    animation.currentTime = position;
    return to + (playbackRate > 0 ? (end - position) / playbackRate : position / -playbackRate);
  };
  return {
    advance: (to) => {
      let next = Number.POSITIVE_INFINITY;
      for (const root of roots()) {
        for (const media of root.querySelectorAll("video, audio")) hold(media);
        // A state that is read after another animation has been moved would calculate all styles again.
        for (const animation of root.getAnimations().filter(moves)) next = Math.min(next, move(animation, to));
      }
      return { next: Number.isFinite(next) ? next : null };
    },
  };
}
