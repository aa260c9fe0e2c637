/** All options of a screenshot request: those of the capture and those of its delivery. */

import { createHash } from "node:crypto";
import type { z } from "zod";
import type { Limits, OptionGroup } from "../../capture/option-group.ts";
import { groups, type SchemaOf, schemaOf } from "../../capture/options.ts";
import { comparison } from "../compare/compare-options.ts";
import { delivery } from "./delivery-options.ts";

export const takeGroups = [...groups, comparison, delivery] as const;

export type TakeSchema = SchemaOf<typeof takeGroups>;
export type TakeOptions = z.output<TakeSchema>;

export function createTakeSchema(limits: Limits): TakeSchema {
  return schemaOf(takeGroups, limits);
}

/** Adds values that the given ones imply; given values win. */
export function withPresets(given: Record<string, unknown>, defaults: Record<string, unknown>): Record<string, unknown> {
  return Object.assign({}, given, ...takeGroups.map((group: OptionGroup) => group.presets?.(given, defaults) ?? {}));
}

/**
 * SHA-256 over every option that affects the image: requests with equal identities may share an image.
 * @param options options in which documents are replaced by digests.
 */
export function identityOf(schema: TakeSchema, options: TakeOptions): Buffer {
  const relevant = entries(schema, options).filter(([name]) => metaOf(schema, name)?.identity !== false);
  return createHash("sha256").update(JSON.stringify(relevant)).digest();
}

/** The options for storage and logs: secret values are replaced by "given". */
export function withMaskedSecrets(schema: TakeSchema, options: TakeOptions): Record<string, unknown> {
  return Object.fromEntries(entries(schema, options).map(([name, value]) => [name, metaOf(schema, name)?.secret ? "given" : value]));
}

/** Replaces each document among the options with its hash. */
export function withDigests(schema: TakeSchema, options: TakeOptions): TakeOptions {
  const documents = entries(schema, options).filter(([name]) => metaOf(schema, name)?.digest);
  return documents.length === 0
    ? options
    : Object.assign({}, options, Object.fromEntries(documents.map(([name, text]) => [name, digestOf(String(text))])));
}

function digestOf(text: string): string {
  return `sha256 ${createHash("sha256").update(text).digest("hex")}, ${Buffer.byteLength(text)} bytes`;
}

/** Whether the request contains a secret, so that the image may show content private to this caller. */
export function carriesSecret(schema: TakeSchema, options: TakeOptions): boolean {
  return entries(schema, options).some(([name]) => metaOf(schema, name)?.secret);
}

function entries(schema: TakeSchema, options: TakeOptions): [string, unknown][] {
  const values: Record<string, unknown> = options;
  return Object.keys(schema.shape)
    .filter((name) => values[name] !== undefined)
    .map((name) => [name, values[name]]);
}

function metaOf(schema: TakeSchema, name: string): z.GlobalMeta | undefined {
  return (schema.shape as Record<string, z.ZodType>)[name]?.meta();
}
