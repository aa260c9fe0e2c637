/** Delays between delivery attempts. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { attemptsMax, pauseMs } from "../../src/webhooks/emit.ts";

const hourMs = 3_600_000;
const now = Date.parse("2030-01-01T00:00:00Z");
const tries = Array.from({ length: attemptsMax - 1 }, (_, index) => index + 1);

test("pauses between the ten attempts grow, and total between 19 and 24 hours", () => {
  assert.equal(attemptsMax, 10);
  for (const random of [0, 0.5, 0.999]) {
    const pauses = tries.map((made) => pauseMs(made, undefined, now, random));
    for (const [index, pause] of pauses.entries()) if (index > 0) assert.ok(pause > (pauses[index - 1] ?? 0), `${index}: ${pause}`);
    const sum = pauses.reduce((total, pause) => total + pause, 0);
    assert.ok(sum > 19 * hourMs && sum < 24 * hourMs, String(sum / hourMs));
  }
});

test("retry pauses are jittered, so that deliveries that failed in the same outage aren't all retried together", () => {
  for (const made of tries) assert.ok(pauseMs(made, undefined, now, 0.9) > pauseMs(made, undefined, now, 0.1) * 1.1);
});

test("Retry-After, in seconds or as a date, lengthens a pause (to at most an hour) but never shortens it", () => {
  const of = (text: string, made = 1) => pauseMs(made, text, now, 0.5);
  assert.equal(of("120"), 120_000);
  assert.equal(of("Tue, 01 Jan 2030 00:10:00 GMT"), 600_000);
  assert.equal(of("999999"), hourMs);
  for (const text of ["0", "1", "-5", "soon", "", "Mon, 31 Dec 2029 00:00:00 GMT", "1e9", "99999999999"])
    assert.equal(of(text), 5_000, text);
  assert.equal(of("120", 9), 10 * hourMs);
});
