/** Reads the bodies of watch requests. */

import type { z } from "zod";
import { type TakeSchema, withPresets } from "../../screenshots/take/take-options.ts";
import { AppError, type ParameterProblem, wrongParameter } from "../../shared/errors.ts";
import type { MutedRegion } from "../../watches/muted.ts";
import { cronProblem, intervalProblem, isTimeZone, type Schedule } from "../../watches/schedule.ts";
import type { Watch } from "../../watches/watch-records.ts";
import type { SubmittedWatch } from "../../watches/watches.ts";
import { scopeOf } from "../captures/input.ts";
import { createMembersReader } from "../input/members.ts";
import { type muting, ownMembers, type WatchBody } from "./schemas.ts";

const defaultInterval = "1d";

/** Options that make sense for single captures only. */
const foreign = ["clock", "html", "markdown", "base_url", "expires", "is_cached", "cache_ttl", "cache_key"];

/** Names of the options that watches accept. */
export function watchOptions(schema: TakeSchema): string[] {
  const shape = schema.shape as Record<string, z.ZodType>;
  return Object.keys(shape).filter(
    (name) => scopeOf(schema, name) !== "none" && shape[name]?.meta()?.output !== "image" && !foreign.includes(name),
  );
}

export interface WatchReader {
  /** @param webhookUrl already validated. @throws {AppError} `invalid_parameters`, `invalid_url`. */
  create(body: WatchBody, webhookUrl: string | null): SubmittedWatch;
  /** @param given the options as sent before. @param webhookUrl undefined to leave it unchanged. */
  change(body: WatchBody, present: { watch: Watch; given: Record<string, unknown> }, webhookUrl: string | null | undefined): SubmittedWatch;
}

export function createWatchReader(schema: TakeSchema, minSeconds: number): WatchReader {
  const known = watchOptions(schema);
  const read = createMembersReader(schema, ownMembers, true);

  function optionsOf(body: WatchBody, before: Record<string, unknown>): Pick<SubmittedWatch, "given" | "options" | "shown" | "url"> {
    const sent = Object.entries(body).filter(([name]) => name === "time_zone" || !ownMembers.includes(name));
    const problems = sent
      .filter(([name]) => Object.hasOwn(schema.shape, name) && !known.includes(name))
      .map(([name]) => misplaced(name, known));
    if (problems.length > 0) throw new AppError("invalid_parameters", { details: problems });
    const given = Object.fromEntries(Object.entries({ ...before, ...Object.fromEntries(sent) }).filter(([, value]) => value !== null));
    const { options, recordedOptions, target } = read({ ...given, format: "png" });
    const names = Object.keys(withPresets(given, {}));
    const shown = Object.keys(given).filter((name) => name !== "url" && name !== "time_zone");
    return { given, options: picked(options, names), shown: picked(recordedOptions, shown), url: target.href };
  }

  return {
    create(body, webhookUrl) {
      const schedule = scheduleOf(body, { every: defaultInterval, cron: null, timeZone: "UTC" }, minSeconds);
      const options = optionsOf(body, {});
      const { name, compare, threshold, ignore_selectors } = body;
      return {
        ...options,
        name: name ?? nameOf(options.url),
        schedule,
        compareBy: compare ?? "both",
        threshold: threshold ?? 0,
        ignoreSelectors: ignore_selectors ?? [],
        webhookUrl,
      };
    },
    change(body, { watch, given }, webhookUrl) {
      const schedule = scheduleOf(body, watch.schedule, minSeconds);
      const options = optionsOf(body, given);
      const { name, compare, threshold, ignore_selectors } = body;
      return {
        ...options,
        name: name ?? (name === null ? nameOf(options.url) : watch.name),
        schedule,
        compareBy: compare ?? (compare === null ? "both" : watch.compareBy),
        threshold: threshold ?? (threshold === null ? 0 : watch.threshold),
        ignoreSelectors: ignore_selectors ?? (ignore_selectors === null ? [] : watch.ignoreSelectors),
        webhookUrl: webhookUrl === undefined ? watch.webhookUrl : webhookUrl,
      };
    },
  };
}

function scheduleOf({ every, cron, time_zone }: WatchBody, before: Schedule, minSeconds: number): Schedule {
  if (isGiven(every) && isGiven(cron)) throw wrongParameter("cron", "can't be combined with every: send one of them");
  const timeZone = time_zone === undefined ? before.timeZone : (time_zone ?? "UTC");
  if (!isTimeZone(timeZone)) throw wrongParameter("time_zone", "must be a time zone of the IANA database, such as Europe/Vienna");
  const isRemoved = before.cron === null ? every === null : cron === null;
  const kept = isRemoved ? { every: defaultInterval, cron: null } : before;
  const [interval, expression] = isGiven(every) || isGiven(cron) ? [every ?? null, cron ?? null] : [kept.every, kept.cron];
  const wrong =
    expression === null ? intervalProblem(interval ?? "", minSeconds) : cronProblem(expression, timeZone, minSeconds, new Date());
  if (wrong !== undefined && (isGiven(every) || isGiven(cron))) throw wrongParameter(expression === null ? "every" : "cron", wrong);
  return { every: interval, cron: expression?.trim() ?? null, timeZone } as Schedule;
}

const isGiven = (value: string | null | undefined) => value !== null && value !== undefined;

function misplaced(name: string, known: string[]): ParameterProblem {
  return { parameter: name, message: `${name} is not an option of a watch`, allowed: `one of ${known.join(", ")}` };
}

function picked(of: Record<string, unknown>, names: string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => of[name] !== undefined).map((name) => [name, of[name]]));
}

const nameMax = 200;

/** `example.com/pricing` */
function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname === "/" ? "" : pathname}`.slice(0, nameMax);
}

/** @throws {AppError} `invalid_parameters`. */
export function mutedRegionOf({ selector = null, box = null }: z.output<typeof muting>): MutedRegion {
  if (selector !== null && box === null) return { selector, box };
  if (box !== null && selector === null) return { selector, box };
  const message = selector === null ? "selector or box is missing" : "box can't be combined with selector: send one of them";
  throw new AppError("invalid_parameters", {
    details: [{ parameter: selector === null ? "selector" : "box", message, allowed: "selector or box" }],
  });
}
