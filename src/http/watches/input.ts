/** Reads the bodies of watch requests. */

import type { z } from "zod";
import { type TakeSchema, withPresets } from "../../screenshots/take/take-options.ts";
import { AppError, type ParameterProblem, wrongParameter } from "../../shared/errors.ts";
import type { MutedRegion } from "../../watches/muted.ts";
import { cronProblem, intervalProblem, isTimeZone, type Schedule } from "../../watches/schedule.ts";
import type { Watch } from "../../watches/watch-records.ts";
import type { SubmittedWatch } from "../../watches/watches.ts";
import { scopeOf } from "../captures/input.ts";
import { createMembersReader } from "../input/validation.ts";
import { type muting, ownMembers, type WatchBody } from "./schemas.ts";

const defaultInterval = "1d";

/** Options that make sense only for single captures. */
const excluded = ["clock", "html", "markdown", "base_url", "expires", "is_cached", "cache_ttl", "cache_key"];

/** Output options that also apply to a watch's images. */
const imageOptions = ["destination"];

/** Names of the options that watches accept. */
export function watchOptions(schema: TakeSchema): string[] {
  const shape = schema.shape as Record<string, z.ZodType>;
  return Object.keys(shape).filter(
    (name) =>
      scopeOf(schema, name) !== "none" &&
      (shape[name]?.meta()?.output !== "image" || imageOptions.includes(name)) &&
      !excluded.includes(name),
  );
}

type Before = Pick<Watch, "schedule" | "compareBy" | "threshold" | "ignoreSelectors" | "webhookUrl"> & { name?: string };

const fresh: Before = {
  schedule: { every: defaultInterval, cron: null, timeZone: "UTC" },
  compareBy: "both",
  threshold: 0,
  ignoreSelectors: [],
  webhookUrl: null,
};

/**
 * Reads the body that creates or changes a watch.
 * @param webhookUrl already validated; undefined to leave it unchanged.
 * @param before the watch to change, with its options as originally sent.
 * @throws {AppError} `invalid_parameters`, `invalid_url`.
 */
export type ReadWatch = (
  body: WatchBody,
  webhookUrl: string | null | undefined,
  before?: { watch: Before; given: Record<string, unknown> },
) => SubmittedWatch;

export function createWatchReader(schema: TakeSchema, minSeconds: number): ReadWatch {
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

  return (body, webhookUrl, { watch, given } = { watch: fresh, given: {} }) => {
    const schedule = scheduleOf(body, watch.schedule, minSeconds);
    const options = optionsOf(body, given);
    const { name, compare, threshold, ignore_selectors } = body;
    return {
      ...options,
      name: name ?? (name === null ? undefined : watch.name) ?? nameOf(options.url),
      schedule,
      compareBy: compare ?? (compare === null ? fresh : watch).compareBy,
      threshold: threshold ?? (threshold === null ? fresh : watch).threshold,
      ignoreSelectors: ignore_selectors ?? (ignore_selectors === null ? fresh : watch).ignoreSelectors,
      webhookUrl: webhookUrl === undefined ? watch.webhookUrl : webhookUrl,
    };
  };
}

function scheduleOf({ every, cron, time_zone }: WatchBody, before: Schedule, minSeconds: number): Schedule {
  if (isGiven(every) && isGiven(cron)) throw wrongParameter("cron", "can't be combined with every: send one or the other");
  const timeZone = time_zone === undefined ? before.timeZone : (time_zone ?? "UTC");
  if (!isTimeZone(timeZone)) throw wrongParameter("time_zone", "must be an IANA time zone, such as Europe/Vienna");
  const isRemoved = before.cron === null ? every === null : cron === null;
  const kept = isRemoved ? { every: defaultInterval, cron: null } : before;
  const [interval, expression] = isGiven(every) || isGiven(cron) ? [every ?? null, cron ?? null] : [kept.every, kept.cron];
  const wrong = expression === null ? intervalProblem(interval ?? "", minSeconds) : cronProblem(expression, minSeconds, new Date());
  if (wrong !== undefined && (isGiven(every) || isGiven(cron))) throw wrongParameter(expression === null ? "every" : "cron", wrong);
  return { every: interval, cron: expression?.trim() ?? null, timeZone } as Schedule;
}

const isGiven = (value: string | null | undefined) => value !== null && value !== undefined;

function misplaced(name: string, known: string[]): ParameterProblem {
  return { parameter: name, message: `${name} is not a watch option`, allowed: `one of ${known.join(", ")}` };
}

function picked(of: Record<string, unknown>, names: string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => of[name] !== undefined).map((name) => [name, of[name]]));
}

const nameMax = 200;

/** The default name, such as `example.com/pricing`. */
function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname === "/" ? "" : pathname}`.slice(0, nameMax);
}

/** @throws {AppError} `invalid_parameters`. */
export function mutedRegionOf({ selector = null, box = null }: z.output<typeof muting>): MutedRegion {
  if (selector !== null && box === null) return { selector, box };
  if (box !== null && selector === null) return { selector, box };
  throw selector === null
    ? wrongParameter("selector", "or box is missing", "selector or box")
    : wrongParameter("box", "can't be combined with selector: send one or the other", "selector or box");
}
