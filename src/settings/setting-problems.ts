/** Describes problems with invalid settings. */

import fastifyEnv from "@fastify/env";
import Fastify from "fastify";
import { describeSchema } from "../shared/describe-schema.ts";
import { type SettingName, settingProperties, settings, settingsJsonSchema } from "./config.ts";
import type { Values } from "./store-urls.ts";

/**
 * One sentence for each setting in `names` that is missing or invalid, without secrets.
 * @param refused settings that are known to be invalid; only these are described if the validator, which converts more texts to numbers,
 *   finds no problem.
 */
export async function settingProblems(values: Values, names: readonly SettingName[], refused: readonly SettingName[]): Promise<string[]> {
  const reader = Fastify();
  try {
    await reader.register(fastifyEnv, { confKey: "config", schema: validationSchema(names), data: values, env: false });
    await reader.ready();
    return refused.map((name) => wrong(name, values));
  } catch (error) {
    return problemsOf(error, values);
  } finally {
    await reader.close();
  }
}

/** Copies the schema, because `@fastify/env` mutates it, and leaves out our own keywords, because the validator rejects them. */
function validationSchema(names: readonly SettingName[]): Record<string, unknown> {
  const known = ({ group, secret, example, unit, valid, ...schema }: Record<string, unknown>) => schema;
  const plain = names.map((name) => [name, known(settingProperties[name] as Record<string, unknown>)]);
  const required = settingsJsonSchema.required?.filter((name) => names.includes(name as SettingName));
  return { ...settingsJsonSchema, properties: Object.fromEntries(plain), required };
}

interface AjvError {
  keyword: string;
  instancePath: string;
  params: { missingProperty?: string };
}

/** One message for each problem that `@fastify/env` found: the setting, its value unless secret, and what is valid. */
function problemsOf(error: unknown, values: Values): string[] {
  const found = (error as { errors?: AjvError[] }).errors;
  if (!found) throw error;
  const problems = found.map(({ keyword, instancePath, params }) => {
    if (keyword === "required") return missing(params.missingProperty as SettingName);
    return wrong(instancePath.slice(1) as SettingName, values);
  });
  return [...new Set(problems)];
}

function wrong(name: SettingName, values: Values): string {
  const shown = settings.shape[name].meta()?.secret ? "invalid" : JSON.stringify(values[name]);
  return `${name} is ${shown}; it must be ${describeSchema(settingProperties[name])}`;
}

function missing(name: SettingName): string {
  const alternative = /^DATABASE_(?!PORT|URL)/.test(name) ? " (DATABASE_URL can provide it)" : "";
  return `${name} is missing${alternative}; it must be ${describeSchema(settingProperties[name])}`;
}
