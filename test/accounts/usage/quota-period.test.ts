/** When quota months start. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { quotaPeriod } from "../../../src/accounts/usage/quota.ts";

const rows: [guarantee: string, anchor: string | null, now: string, start: string, end: string][] = [
  ["without an anchor, a quota month is a calendar month", null, "2026-05-20T12:00:00Z", "2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z"],
  ["the first moment of a month belongs to that month", null, "2026-05-01T00:00:00Z", "2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z"],
  ["the last moment of a year belongs to December", null, "2026-12-31T23:59:59.999Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"],
  [
    "an anchored month starts at the anchor itself",
    "2026-01-15T08:30:00Z",
    "2026-01-15T08:30:00Z",
    "2026-01-15T08:30:00Z",
    "2026-02-15T08:30:00Z",
  ],
  [
    "before the anchor's time of day, the previous month continues",
    "2026-01-15T08:30:00Z",
    "2026-04-15T08:29:59.999Z",
    "2026-03-15T08:30:00Z",
    "2026-04-15T08:30:00Z",
  ],
  [
    "an anchored month runs across the new year",
    "2025-11-20T00:00:00Z",
    "2026-01-03T00:00:00Z",
    "2025-12-20T00:00:00Z",
    "2026-01-20T00:00:00Z",
  ],
  [
    "with an anchor on January 31, the next month starts on February 28",
    "2026-01-31T10:00:00Z",
    "2026-02-28T10:00:00Z",
    "2026-02-28T10:00:00Z",
    "2026-03-31T10:00:00Z",
  ],
  [
    "a short month doesn't shift the following months",
    "2026-01-31T10:00:00Z",
    "2026-03-31T10:00:00Z",
    "2026-03-31T10:00:00Z",
    "2026-04-30T10:00:00Z",
  ],
  [
    "the day before the clamped day belongs to the previous month",
    "2026-01-31T10:00:00Z",
    "2026-02-28T09:59:59.999Z",
    "2026-01-31T10:00:00Z",
    "2026-02-28T10:00:00Z",
  ],
  ["in a leap year, February has a 29th", "2023-12-31T00:00:00Z", "2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z", "2024-03-31T00:00:00Z"],
  [
    "an anchor on February 29 keeps its day for years",
    "2024-02-29T00:00:00Z",
    "2027-03-05T00:00:00Z",
    "2027-02-28T00:00:00Z",
    "2027-03-29T00:00:00Z",
  ],
  [
    "an anchor in the future has months before it",
    "2026-06-10T00:00:00Z",
    "2026-05-20T00:00:00Z",
    "2026-05-10T00:00:00Z",
    "2026-06-10T00:00:00Z",
  ],
];

for (const [guarantee, anchor, now, start, end] of rows) {
  test(guarantee, () => {
    assert.deepEqual(quotaPeriod(anchor === null ? null : new Date(anchor), new Date(now)), { start: new Date(start), end: new Date(end) });
  });
}

test("each period starts where the previous one ended, for forty years", () => {
  const anchor = new Date("2024-01-31T23:59:59.999Z");
  let period = quotaPeriod(anchor, anchor);
  for (let month = 0; month < 480; month++) {
    const next = quotaPeriod(anchor, period.end);
    assert.deepEqual(next.start, period.end);
    assert.deepEqual(quotaPeriod(anchor, new Date(period.end.getTime() - 1)), period);
    period = next;
  }
});
