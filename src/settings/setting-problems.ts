/** Describes problems with invalid settings. */

import fastifyEnv from "@fastify/env";
import Fastify from "fastify";
import { describeSchema } from "../shared/describe-schema.ts";
import { type SettingName, settingProperties, settings, settingsJsonSchema } from "./config.ts";
import type { Values } from "./store-urls.ts";

/**
 * One sentence for each setting in `names` that is missing or invalid, without secrets.
 * @param refused settings that are known to be invalid: the validator, which knows only the JSON schema, doesn't find all of them.
 */
export async function settingProblems(values: Values, names: readonly SettingName[], refused: readonly SettingName[]): Promise<string[]> {
  const reader = Fastify();
  try {
    await reader.register(fastifyEnv, { confKey: "config", schema: validationSchema(names), data: values, env: false });
    await reader.ready();
    return problemsOf([], values, refused);
  } catch (error) {
    const found = (error as { errors?: AjvError[] }).errors;
    if (!found) throw error;
    return problemsOf(found, values, refused);
  } finally {
    await reader.close();
  }
}

/** Copies the schema, because `@fastify/env` mutates it, and leaves out our own keywords, because the validator rejects them. */
function validationSchema(names: readonly SettingName[]): Record<string, unknown> {
  const known = ({ group, secret, isList, example, unit, valid, ...schema }: Record<string, unknown>) => schema;
  const plain = names.map((name) => [name, known(settingProperties[name] as Record<string, unknown>)]);
  const required = settingsJsonSchema.required?.filter((name) => names.includes(name as SettingName));
  return { ...settingsJsonSchema, properties: Object.fromEntries(plain), required };
}

interface AjvError {
  keyword: string;
  instancePath: string;
  params: { missingProperty?: string };
}

/** One message for each setting that `@fastify/env` found or that is `refused`: its name, its value unless secret, and what is valid. */
function problemsOf(found: AjvError[], values: Values, refused: readonly SettingName[]): string[] {
  const names = found.map(({ keyword, instancePath, params }) => (keyword === "required" ? params.missingProperty : instancePath.slice(1)));
  return [...new Set([...(names as SettingName[]), ...refused])].map((name) =>
    values[name] === undefined ? missing(name) : wrong(name, values[name]),
  );
}

function wrong(name: SettingName, value: string): string {
  // A URL's user name, password and query may be secret even if the setting has no place for them.
  const isSecret = settings.shape[name].meta()?.secret || /^[^:]*:.*[@?#]/s.test(value);
  return `${name} is ${isSecret ? "invalid" : JSON.stringify(value)}; it must be ${describeSchema(settingProperties[name])}`;
}

function missing(name: SettingName): string {
  const alternative = /^DATABASE_(?!PORT|URL)/.test(name) ? " (DATABASE_URL can provide it)" : "";
  return `${name} is missing${alternative}; it must be ${describeSchema(settingProperties[name])}`;
}
