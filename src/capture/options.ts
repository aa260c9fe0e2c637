/** The registry of capture options: their order is the order of the work, and everything said of them elsewhere is derived from here. */

import { createHash } from "node:crypto";
import { z } from "zod";
import type { Limits, OptionGroup } from "./option-group.ts";
import { delivery } from "./options/delivery.ts";
import { emulation } from "./options/emulation.ts";
import { frame } from "./options/frame.ts";
import { identity } from "./options/identity.ts";
import { image } from "./options/image.ts";
import { pageEdits } from "./options/page-edits.ts";
import { target } from "./options/target.ts";
import { viewport } from "./options/viewport.ts";
import { waiting } from "./options/waiting.ts";

/**
 * Viewport and image before all else, since later stages read the shot they set up; waiting before frame, because only a page
 * that is ready has its size. Groups of one stage don't depend on each other otherwise.
 */
export const groups = [target, viewport, image, emulation, identity, pageEdits, waiting, frame, delivery] as const;

type Intersection<U> = (U extends unknown ? (x: U) => void : never) extends (x: infer I) => void ? I : never;
type Shapes = Intersection<ReturnType<(typeof groups)[number]["parameters"]>>;

export type CaptureOptions = z.output<z.ZodObject<Shapes>>;

/** Groups as the pipeline calls them: each is handed all options and reads its own. */
export const stages: readonly OptionGroup<z.ZodRawShape, CaptureOptions>[] = groups as never;

/** The schema of all options within the operator's limits. Unknown keys are dropped; the caller names them. */
export function createOptionsSchema(limits: Limits): z.ZodObject<Shapes> {
  const schema = z.object(Object.assign({}, ...groups.map((group) => group.parameters(limits)))) as z.ZodObject<Shapes>;
  const together = z.check<z.output<typeof schema>>(({ value, issues }) => {
    for (const { parameter, message } of stages.flatMap((group) => group.conflicts?.(value) ?? []))
      issues.push({ code: "custom", path: [parameter], message, input: value });
  });
  together._zod.def.when = () => true; // also where single parameters are wrong: an error names everything
  return schema.check(together);
}

/** What was given, and what other parameters have because of it; what is given wins. */
export function withPresets(given: Record<string, unknown>, defaults: Record<string, unknown>): Record<string, unknown> {
  return Object.assign({}, given, ...groups.map((group: OptionGroup) => group.presets?.(given, defaults) ?? {}));
}

/** What two requests must share to be the same picture: a SHA-256 over every option that changes it. */
export function captureIdentity(schema: z.ZodObject<Shapes>, options: CaptureOptions): Buffer {
  const relevant = entries(schema, options).filter(([name]) => metaOf(schema, name)?.identity !== false);
  return createHash("sha256").update(JSON.stringify(relevant)).digest();
}

/** The options as they may be stored and logged: of secret ones only that they were given. */
export function withoutSecrets(schema: z.ZodObject<Shapes>, options: CaptureOptions): Record<string, unknown> {
  return Object.fromEntries(entries(schema, options).map(([name, value]) => [name, metaOf(schema, name)?.secret ? "given" : value]));
}

/** Whether the picture may show what only this caller may see. */
export function isPrivate(schema: z.ZodObject<Shapes>, options: CaptureOptions): boolean {
  return entries(schema, options).some(([name]) => metaOf(schema, name)?.secret);
}

function entries(schema: z.ZodObject<Shapes>, options: CaptureOptions): [string, unknown][] {
  const values: Record<string, unknown> = options;
  return Object.keys(schema.shape)
    .filter((name) => values[name] !== undefined)
    .map((name) => [name, values[name]]);
}

function metaOf(schema: z.ZodObject<Shapes>, name: string): z.GlobalMeta | undefined {
  return (schema.shape as Record<string, z.ZodType>)[name]?.meta();
}
