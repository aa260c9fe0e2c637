/** Replaces a page's dates and random numbers. Runs in the page, before its scripts, so each function must be self-contained. */

/** Replaces `Date`, `Intl`, `Temporal.Now`, `performance`, event timestamps and the time of the document's timeline. */
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
