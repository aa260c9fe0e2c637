/** The registry of capture options. Within each stage, groups run in this order. */

import { z } from "zod";
import { motionFormats } from "../shared/formats.ts";
import { motion, screenshotsOf } from "./motion/options.ts";
import type { Conflict, Limits, OptionGroup } from "./option-group.ts";
import { blocking } from "./options/blocking.ts";
import { clock } from "./options/clock.ts";
import { content } from "./options/content.ts";
import { elements } from "./options/elements.ts";
import { emulation } from "./options/emulation.ts";
import { explain } from "./options/explain.ts";
import { fit } from "./options/fit.ts";
import { frame } from "./options/frame.ts";
import { har } from "./options/har.ts";
import { identity } from "./options/identity.ts";
import { image } from "./options/image.ts";
import { javascript } from "./options/javascript.ts";
import { masks } from "./options/masks.ts";
import { pageEdits } from "./options/page-edits.ts";
import { pdf } from "./options/pdf.ts";
import { proxy } from "./options/proxy.ts";
import { reasons } from "./options/reasons.ts";
import { session } from "./options/session.ts";
import { slices } from "./options/slices.ts";
import { status } from "./options/status.ts";
import { steps } from "./options/steps.ts";
import { target } from "./options/target.ts";
import { viewport } from "./options/viewport.ts";
import { waitForEvent, waitForHidden } from "./options/wait-for.ts";
import { waitForFunction } from "./options/wait-for-function.ts";
import { waiting } from "./options/waiting.ts";

/**
 * Viewport and image come early, since later groups read the shot they set up. Clock precedes emulation, so that animations are stopped
 * only once page time has run. Waiting precedes frame, because only a page that is ready has its final size; blocking runs between them,
 * because banners appear late, and the content they hide or lock also affects the size. Otherwise, groups within a stage are independent.
 * For a request with default options, only viewport, image, emulation and waiting have work to do.
 */
export const groups = [
  target,
  content,
  viewport,
  image,
  fit,
  slices,
  pdf,
  elements,
  har,
  motion,
  clock,
  emulation,
  identity,
  session,
  proxy,
  pageEdits,
  steps,
  waitForHidden,
  waitForFunction,
  waitForEvent,
  waiting,
  javascript,
  blocking,
  frame,
  masks,
  status,
  reasons,
  explain,
] as const;

type Intersection<U> = (U extends unknown ? (x: U) => void : never) extends (x: infer I) => void ? I : never;
interface AnyGroup {
  parameters(limits: Limits): z.ZodRawShape;
  conflicts?(options: never): Conflict[];
}
type ShapesOf<G extends readonly AnyGroup[]> = Intersection<ReturnType<G[number]["parameters"]>>;
export type SchemaOf<G extends readonly AnyGroup[]> = ShapesOf<G> extends infer S extends z.ZodRawShape ? z.ZodObject<S> : never;

export type CaptureOptions = z.output<SchemaOf<typeof groups>>;

/** The groups as the pipeline calls them: each receives all options and reads only its own. */
const optionGroups: readonly OptionGroup<z.ZodRawShape, CaptureOptions>[] = groups as never;

/** Arbitrary limits, for everything that doesn't depend on them. */
const anyLimits: Limits = {
  widthMax: 1,
  heightMax: 1,
  fullPageHeightMax: 1,
  widthDefault: 1,
  heightDefault: 1,
  qualityDefault: 1,
  timeoutMaxSeconds: 1,
  pageLoadTimeoutMs: 1,
};

/** For each group, the names and defaults of the options in its `onlyIfSet`. */
const defaultsOf = new Map(
  optionGroups.map((group) => {
    const { onlyIfSet = [] } = group;
    const all = Object.entries(group.parameters(anyLimits));
    return [group, all.filter(([name]) => onlyIfSet === true || (onlyIfSet as readonly string[]).includes(name)).map(withDefault)];
  }),
);

function withDefault([name, type]: [string, z.core.$ZodType]): [keyof CaptureOptions, unknown] {
  return [name as keyof CaptureOptions, z.safeParse(type, undefined).data];
}

const isSet = (value: unknown, byDefault: unknown) =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== byDefault;

/** Names of the options that are set and cause a group with `onlyIfSet` to run. */
export function namesSet(options: CaptureOptions): string[] {
  return [...defaultsOf.values()].flat().flatMap(([name, byDefault]) => (isSet(options[name], byDefault) ? [name] : []));
}

/** The groups whose stages are needed for a capture with `options`, in order. */
export function groupsFor(options: CaptureOptions): typeof optionGroups {
  return optionGroups.filter(
    (group) => !group.onlyIfSet || defaultsOf.get(group)?.some(([name, byDefault]) => isSet(options[name], byDefault)),
  );
}

/** Cost of capturing these outputs, in screenshots of the monthly quota. */
export function costOf(outputs: readonly CaptureOptions[]): number {
  const recordings = outputs.filter(({ format }) => motionFormats.some((one) => one === format));
  return Math.max(1, ...recordings.map(screenshotsOf));
}

/** The page's address. For a document without a `base_url`, a placeholder under `localhost`, whose pages are secure contexts. */
export function addressOf({ url, base_url, html }: Pick<CaptureOptions, "url" | "base_url" | "html">): URL {
  return new URL(url ?? base_url ?? (html === undefined ? "http://markdown.localhost/" : "http://html.localhost/"));
}

/** Whether the page's address is a placeholder without a server, so that the capture doesn't connect to it (see `egress/vet.ts`). */
export function hasNoHost({ url, base_url }: Pick<CaptureOptions, "url" | "base_url">): boolean {
  return url === undefined && base_url === undefined;
}

/** The schema of a parameter that doesn't depend on the limits, for requests that use it for something other than a capture. */
export function parameterOf<Name extends "url" | "steps">(name: Name): SchemaOf<typeof groups>["shape"][Name] {
  return schemaOf(groups, anyLimits).shape[name];
}

/** Metadata that the parameter called `name` declares in addition to its type. */
export function metaOf(name: string): z.GlobalMeta | undefined {
  metas ??= new Map(
    optionGroups.flatMap((group) => Object.entries(group.parameters(anyLimits)).map(([own, type]) => [own, (type as z.ZodType).meta()])),
  );
  return metas.get(name);
}
let metas: Map<string, z.GlobalMeta | undefined> | undefined;

export function parameterNames(group: Pick<OptionGroup, "parameters">): string[] {
  return Object.keys(group.parameters(anyLimits));
}

/** The schema of all parameters of `ofGroups` within the operator's limits. Unknown keys are dropped; the caller reports them. */
export function schemaOf<G extends readonly AnyGroup[]>(ofGroups: G, limits: Limits): SchemaOf<G> {
  const schema = z.object(Object.assign({}, ...ofGroups.map((group) => group.parameters(limits))));
  const conflicts = z.check<Record<string, unknown>>(({ value, issues }) => {
    const found = ofGroups.flatMap((group) => conflictsOf(group, value, issues.length > 0));
    for (const { parameter, message } of found) issues.push({ code: "custom", path: [parameter], message, input: value });
  });
  conflicts._zod.def.when = () => true; // runs even if some parameters are invalid, so that one error reports everything
  return schema.check(conflicts) as never;
}

/** @param isInvalid whether any option is invalid; the group may then throw, because JSON can contain values of the wrong type. */
function conflictsOf(group: AnyGroup, options: object, isInvalid: boolean): Conflict[] {
  try {
    return group.conflicts?.(options as never) ?? [];
  } catch (error) {
    if (isInvalid) return [];
    throw error;
  }
}
