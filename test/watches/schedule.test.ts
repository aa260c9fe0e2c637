/** When watches run. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Cron } from "croner";
import { cronProblem, intervalProblem, isTimeZone, nextTime, type Schedule } from "../../src/watches/schedule.ts";
import { longestTurnAtBest } from "../support/longest-turn.ts";

const every = (interval: string): Schedule => ({ every: interval, cron: null, timeZone: "UTC" });
const at = (cron: string, timeZone: string): Schedule => ({ every: null, cron, timeZone });
const next = (schedule: Schedule, from: string, now = from) => nextTime(schedule, new Date(from), new Date(now)).toISOString();

test("an interval counts from when the last run was due, and missed times are skipped", () => {
  assert.equal(next(every("90m"), "2026-01-01T00:00:00Z"), "2026-01-01T01:30:00.000Z");
  assert.equal(next(every("1h"), "2026-01-01T00:00:00Z", "2026-01-01T00:00:07Z"), "2026-01-01T01:00:00.000Z");
  assert.equal(next(every("5m"), "2026-01-01T00:00:00Z", "2026-01-04T00:02:00Z"), "2026-01-04T00:05:00.000Z");
  assert.equal(next(every("1d"), "2026-01-01T00:00:00Z", "2025-12-31T23:59:59Z"), "2026-01-02T00:00:00.000Z", "a clock that is behind");
});

test("a cron expression keeps its local time when daylight saving time begins and ends", () => {
  const nine = at("0 9 * * *", "Europe/Vienna");
  assert.equal(next(nine, "2026-03-28T12:00:00Z"), "2026-03-29T07:00:00.000Z");
  assert.equal(next(nine, "2026-10-24T12:00:00Z"), "2026-10-25T08:00:00.000Z");
  assert.equal(
    next(nine, "2026-01-01T08:00:00Z", "2026-01-01T07:59:59Z"),
    "2026-01-02T08:00:00.000Z",
    "only once, even if the clock is behind",
  );
});

test("a time skipped by daylight saving time runs right after the change, and one that occurs twice in autumn runs once", () => {
  const night = at("30 2 * * *", "Europe/Vienna");
  assert.equal(next(night, "2026-03-28T12:00:00Z"), "2026-03-29T01:00:00.000Z"); // 3:00 in daylight saving time
  const first = next(night, "2026-10-24T12:00:00Z");
  assert.equal(first, "2026-10-25T00:30:00.000Z");
  assert.equal(next(night, first), "2026-10-26T01:30:00.000Z");
});

test("an hourly schedule continues where daylight saving time ends by half an hour", () => {
  const hourly = at("0 * * * *", "Australia/Lord_Howe");
  const times = ["2026-04-04T14:00:00Z"];
  for (let count = 0; count < 4; count++) times.push(next(hourly, times.at(-1) ?? ""));
  for (const [index, time] of times.entries()) {
    const gap = Date.parse(time) - Date.parse(times[index - 1] ?? time);
    assert.ok(index === 0 || (gap > 0 && gap <= 2 * 3_600_000), times.join(" "));
  }
  assert.equal(cronProblem("0 * * * *", 300, new Date("2026-04-04T14:00:00Z")), undefined);
});

test("a daily schedule keeps its local time where daylight saving time ends by half an hour", () => {
  const nine = at("0 9 * * *", "Australia/Lord_Howe");
  assert.equal(next(nine, "2026-04-03T12:00:00Z"), "2026-04-03T22:00:00.000Z");
  for (const from of ["2026-04-03T22:00:00Z", "2026-04-04T12:00:00Z", "2026-04-04T15:10:00Z"])
    assert.equal(next(nine, from), "2026-04-04T22:30:00.000Z", from);
  assert.equal(cronProblem("0 9 * * *", 300, new Date("2026-04-04T12:00:00Z")), undefined);
});

test("out-of-range intervals, invalid cron expressions and too frequent ones are rejected", () => {
  assert.equal(intervalProblem("5m", 300), undefined);
  assert.equal(intervalProblem("30d", 300), undefined);
  for (const wrong of ["", "5", "4m", "31d", "0m", "-5m", "1w", "1.5h", "9999999d"])
    assert.equal(intervalProblem(wrong, 300), "must be an interval from 5m to 30d, such as 90m, 12h or 1d", wrong);
  const problem = (cron: string) => cronProblem(cron, 300, new Date("2026-01-01T00:00:00Z"));
  for (const right of ["*/5 * * * *", "0 9 * * 1-5", "0 0 29 2 *", "0 9 * * THU", " 0 9 1 JAN,JUL * ", "0/15 ? L * 5L"])
    assert.equal(problem(right), undefined, right);
  for (const wrong of ["", "x", "0 9 * *", "0 0 9 * * *", "@daily", "0 25 * * *", "0 0 30 2 *", "H 9 * * *", "0 9,H * * *"])
    assert.match(problem(wrong) ?? "", /^must have five fields/, wrong);
  for (const often of ["* * * * *", "*/4 * * * *", "0,1 9 * * *", "58,0 * * * *", "*/59 * * * *"])
    assert.equal(problem(often), "must not be due more often than once every 5m", often);
});

const weekdays = (suffix: string) => Array.from({ length: 7 }, (_, day) => `${day}${suffix}`).join();

test("an expression that matches rarely or never is checked, and its next time found, in about a millisecond", async () => {
  const now = new Date("2026-01-01T00:00:00Z");
  const never = [`0 0 1-28 * +${weekdays("#5")}`, `0 0 1-10 * +${weekdays("L")}`, `0,59 0,23 1W,2W,3W * +${weekdays("#5")}`];
  const { ms } = await longestTurnAtBest(async () => {
    for (let count = 0; count < 20; count += 1) {
      assert.equal(cronProblem("0 0 29 2 +7", 300, now), undefined);
      assert.equal(next(at("0 0 29 2 +7", "UTC"), "2033-01-01T00:00:00Z"), "2060-02-29T00:00:00.000Z");
      for (const cron of never) assert.match(cronProblem(cron, 300, now) ?? "", /^must have five fields/);
    }
  });
  assert.ok(ms < 100, `100 checks took ${ms} ms`);
});

test("an expression is due at the same times as by the parser's own search", () => {
  const days = ["*", "31", "L", "LW", "1W,30W", "*/9", "?"];
  const weekdays = ["*", "1-5", "+7", "+1#5", "5L,3#2", "FRI-SUN", "0-7", "+*"];
  const crons = days.flatMap((day) => weekdays.flatMap((weekday) => ["*", "2,JUL"].map((month) => `*/45 2,23 ${day} ${month} ${weekday}`)));
  for (const cron of crons)
    for (const timeZone of ["UTC", "Australia/Lord_Howe", "America/New_York"])
      for (const from of ["2026-03-07T12:00:00Z", "2026-04-04T15:10:00Z", "2026-11-01T05:40:00Z"]) {
        const expected = new Cron(cron, { timezone: timeZone, mode: "5-part", sloppyRanges: true }).nextRun(new Date(from));
        if (expected) assert.equal(next(at(cron, timeZone), from), expected.toISOString(), `${cron} ${timeZone} ${from}`);
        else assert.throws(() => next(at(cron, timeZone), from));
      }
});

test("times before and after midnight count as frequent only if two dates in a row match", () => {
  const problem = (cron: string) => cronProblem(cron, 300, new Date("2026-01-01T00:00:00Z"));
  for (const often of ["0,59 0,23 * * *", "0,59 0,23 1,31 * *", "0,59 0,23 * * 6,0"])
    assert.match(problem(often) ?? "", /more often/, often);
  assert.equal(cronProblem("0 0,23 * * *", 7_200, new Date()), "must not be due more often than once every 120m");
  assert.equal(cronProblem("0 0,23 1,15 * *", 7_200, new Date()), undefined);
});

test("only time zones in the IANA database are accepted", () => {
  assert.deepEqual(["UTC", "Europe/Vienna", "Mars/Base", "", "../etc"].map(isTimeZone), [true, true, false, false, false]);
});
