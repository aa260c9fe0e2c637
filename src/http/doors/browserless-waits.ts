/** What browserless waits for, and for how long. Pure. */

import { type Given, isOn } from "./door.ts";
import { untilMetOrOver } from "./page-calls.ts";

const navigationMs = 30_000;
const secondsMax = 90;

/** As the product does: the result of an asynchronous function doesn't count. */
export function predicate(source: unknown): unknown {
  return /async|await/.test(String(source)) ? `async () => { await (${source}\n)(); return true; }` : source;
}

/** One condition, which holds once each of the waits is met or over. */
export function bestEffort(given: Given): string {
  const { "waitForSelector.selector": selector, "waitForFunction.fn": fn } = given;
  const found = `document.querySelector(${JSON.stringify(selector)}) ${isOn(given["waitForSelector.hidden"]) ? "===" : "!=="} null`;
  const ms = (name: string) => Number(given[name]) || navigationMs;
  return untilMetOrOver([
    ...(selector === undefined ? [] : [{ condition: found, ms: ms("waitForSelector.timeout") }]),
    ...(fn === undefined ? [] : [{ condition: String(predicate(fn)), ms: ms("waitForFunction.timeout") }]),
  ]);
}

/** A timeout of 0 means none, so that our longest counts. */
export function totalSeconds(given: Given): number {
  const ms = (name: string, otherwise = 0) => (given[name] === undefined ? otherwise : Number(given[name]) || secondsMax * 1000);
  const waits = ["waitForSelector.timeout", "waitForFunction.timeout", "options.timeout"].reduce((sum, name) => sum + ms(name), 0);
  const total = ms("timeout") || ms("gotoOptions.timeout", navigationMs) + (Number(given.waitForTimeout) || 0) + waits;
  return Math.min(secondsMax, Math.max(1, total / 1000));
}
