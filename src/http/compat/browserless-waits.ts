/** browserless' wait conditions and timeouts. */

import type { Members } from "../input/json-body.ts";
import { asList, Invalid, isOn, type ProductParameters } from "./adapter.ts";
import { untilMetOrOver } from "./page-calls.ts";

const navigationMs = 30_000;
const secondsMax = 90;

/** Like browserless, ignores the result of an async function. */
function predicate(source: unknown): unknown {
  return /async|await/.test(String(source)) ? `async () => { await (${source}\n)(); return true; }` : source;
}

/** Combines `waitForFunction`, `waitForSelector` (unless `hidden`) and `/scrape`'s `elements`. Each must be met in time. */
export function waitOptions(parameters: ProductParameters): unknown {
  const { "waitForFunction.fn": fn } = parameters;
  const ms = (name: string) => Number(parameters[name]) || Number.POSITIVE_INFINITY;
  const fnMs = ms("waitForFunction.timeout");
  const found = awaitedElements(parameters);
  if (found.length === 0 && fnMs === Number.POSITIVE_INFINITY) return predicate(fn);
  const lines = [
    `const over = (what) => new DOMException("Timed out waiting for " + what, "TimeoutError");`,
    untilSource,
    ...(fn === undefined ? [] : [`await until(${fnMs}, "function", () => (${predicate(fn)}\n));`]),
    ...(found.length === 0
      ? []
      : [
          `for (const [selector, isShown, ms] of ${JSON.stringify(found)}) await until(ms ?? Infinity, 'selector "' + selector + '"', () => {
  const element = document.querySelector(selector);
  return isShown ? element?.checkVisibility({ visibilityProperty: true }) : element;
});`,
        ]),
  ];
  return `async () => {\n${lines.join("\n")}\nreturn true;\n}`;
}

/** Selector, required visibility and timeout in milliseconds of each awaited element. */
function awaitedElements(parameters: ProductParameters): [string, boolean, number | undefined][] {
  const { elements, "waitForSelector.selector": selector, "waitForSelector.hidden": hidden } = parameters;
  const scraped = elements === undefined ? [] : selectorsOf(elements).map((one, at) => [one, false, elementMs(elements, at)] as const);
  if (selector === undefined || isOn(hidden)) return scraped.map((one) => [...one]);
  const own = [
    String(selector),
    isOn(parameters["waitForSelector.visible"]),
    Number(parameters["waitForSelector.timeout"]) || undefined,
  ] as const;
  return [own, ...scraped].map((one) => [...one]);
}

/** In-page polling loop. A condition that throws is treated as false, except that an invalid selector fails the wait immediately. */
const untilSource = `const start = performance.now();
const until = async (ms, what, condition) => {
  for (; ; await new Promise((next) => setTimeout(next, 50))) {
    try {
      const value = condition();
      if (await (typeof value === "function" ? value() : value)) return;
    } catch (error) {
      if (error instanceof DOMException && error.name === "SyntaxError") throw new DOMException(error.message, "AbortError");
    }
    if (performance.now() - start > ms) throw over(what);
  }
};`;

/** Source code of a predicate that is true once every selector matches an element. */
function present(elements: unknown): string {
  return `() => ${JSON.stringify(selectorsOf(elements))}.every((selector) => document.querySelector(selector) !== null)`;
}

const selectorsMax = 50;

/** The selectors in the `elements` of `/scrape`. @throws {Unsupported} */
export function selectorsOf(elements: unknown): string[] {
  const selectors = asList(elements).map((one) => Object(one).selector);
  if (selectors.length > 0 && selectors.length <= selectorsMax && selectors.every((one) => typeof one === "string" && one !== ""))
    return selectors;
  throw new Invalid(`must be a list of 1 to ${selectorsMax} objects, each with a selector`);
}

/** Timeout of one of the `elements`, in milliseconds. */
function elementMs(elements: unknown, at: number): number {
  return Number(Object(asList(elements)[at]).timeout) || navigationMs;
}

/** A single condition for `bestAttempt`: true once every wait has been met or has timed out. */
export function bestEffort(parameters: ProductParameters): string {
  const { "waitForSelector.selector": selector, "waitForFunction.fn": fn, elements } = parameters;
  const found = `document.querySelector(${JSON.stringify(selector)}) ${isOn(parameters["waitForSelector.hidden"]) ? "===" : "!=="} null`;
  const ms = (name: string) => Number(parameters[name]) || navigationMs;
  return untilMetOrOver([
    ...(selector === undefined ? [] : [{ condition: found, ms: ms("waitForSelector.timeout") }]),
    ...(fn === undefined ? [] : [{ condition: String(predicate(fn)), ms: ms("waitForFunction.timeout") }]),
    ...(elements === undefined ? [] : [{ condition: present(elements), ms: longestOf(elements) || navigationMs }]),
  ]);
}

/** The longest timeout in `elements`, in milliseconds; 0 if none is set. */
function longestOf(elements: unknown): number {
  return asList(elements ?? []).reduce<number>((longest, one) => Math.max(longest, Number(Object(one).timeout) || 0), 0);
}

/** The wait for an event, which is also met by one that was dispatched while the page loaded. */
export function eventOptions(parameters: ProductParameters): Members {
  const ms = Number(parameters["waitForEvent.timeout"]) || (isOn(parameters.bestAttempt) ? navigationMs : 0);
  return {
    wait_for_event: parameters["waitForEvent.event"],
    ...(ms > 0 ? { wait_for_event_timeout: Math.min(secondsMax, ms / 1000) } : {}),
  };
}

/** The capture's `timeout` in seconds. A browserless timeout of 0 means unlimited and becomes `secondsMax`. */
export function totalSeconds(parameters: ProductParameters): number {
  const ms = (name: string, otherwise = 0) => (parameters[name] === undefined ? otherwise : Number(parameters[name]) || secondsMax * 1000);
  const waits = ["waitForSelector.timeout", "waitForFunction.timeout", "waitForEvent.timeout", "options.timeout"].reduce(
    (sum, name) => sum + ms(name),
    0,
  );
  const total =
    ms("timeout") ||
    ms("gotoOptions.timeout", navigationMs) + (Number(parameters.waitForTimeout) || 0) + waits + longestOf(parameters.elements);
  return Math.min(secondsMax, Math.max(1, total / 1000));
}
