/** The page's own clock: it starts at a chosen instant and runs ahead, so that the same page yields the same image. */

import { optionGroup } from "../option-group.ts";
import { text } from "../parameter-types.ts";

const valid = "`frozen`, `fast` or an instant in ISO 8601, such as 2026-01-31 or 2026-01-31T12:00:00Z";
const iso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

export const clock = optionGroup({
  title: "Clock",
  onlyIfSet: true,
  intro: "A controlled clock for the page, so that repeated screenshots are identical.",
  example: { clock: "2026-01-31T12:00:00Z" },
  parameters: () => ({
    clock: text(40, (value) =>
      value === "frozen" || value === "fast" || instantOf(value) !== undefined ? undefined : `is not ${valid.replaceAll("`", "")}`,
    )
      .overwrite((value) => normalized(value)) // so that equal instants share a cached screenshot
      .optional()
      .meta({
        output: "load",
        sharesLoad: "frame",
        valid,
        description:
          "Give the page its own clock, which skips waiting times: timers, frame callbacks, animations and workers run in a fixed order until nothing is due, for at most 5 seconds of page time. Requests still take real time. `Math.random` returns the same numbers every time. With an instant (ISO 8601; midnight UTC if no time is given), `Date` starts at that instant and is reset to it for the screenshot. `frozen` does the same with the time of the request. `fast` also starts at the time of the request, but `Date` keeps advancing. `delay` and `wait_for_selector` add page time. If running the page takes longer than `wait_until_timeout`, it is captured in its current state, with a warning.",
        examples: ["2026-01-31T12:00:00Z", "frozen", "fast"],
      }),
  }),
  beforeNavigation: async ({ clock: value }, work) => {
    if (value === undefined) return;
    const { installPageClock } = await import("../page-clock.ts"); // loaded on demand: few captures need it
    const { readiness, shot } = work;
    const settings = { holdsDate: value !== "fast", loadedMs: shot.motion ? 0 : loadedMs }; // a recording begins once the page has loaded
    readiness.useClock(await installPageClock(work, instantOf(value) ?? Date.now(), settings));
  },
  frame: (_, { readiness, shot }) => (shot.motion ? undefined : readiness.clock()?.finish(shot.isMeasured)),
});

/** Page time that a loaded page gets to become ready. */
const loadedMs = 5_000;

/** Parses an instant into Unix milliseconds; undefined if `value` isn't one. */
function instantOf(value: string): number | undefined {
  if (!iso.test(value)) return undefined;
  const ms = Date.parse(value);
  // Date.parse accepts 30 February.
  const [year, month, day] = value.slice(0, 10).split("-").map(Number);
  const isDay = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day)).getUTCDate() === day;
  return Number.isNaN(ms) || !isDay ? undefined : ms;
}

function normalized(value: string): string {
  const ms = instantOf(value);
  return ms === undefined ? value : new Date(ms).toISOString().replace(".000Z", "Z");
}
