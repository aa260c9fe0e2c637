/** Reads the settings from the environment, and reports problems with them together. */

import type { z } from "zod";
import { parseAllowedHosts } from "../egress/address-policy.ts";
import { describeSchema } from "../shared/describe-schema.ts";
import { type Config, type SettingName, settingProperties, settings } from "./config.ts";
import { tlsProblems } from "./database-settings.ts";
import { parseProxies } from "./proxies.ts";
import { spaceProblems } from "./spaces.ts";
import { folderProblems } from "./storage-folder.ts";
import { mergeUrls, type Values } from "./store-urls.ts";
import { tracingProblems } from "./tracing-settings.ts";
import { isTrustable } from "./trusted-proxies.ts";

const allSettings = Object.keys(settings.shape) as SettingName[];

/** The settings are invalid. `problems` has one sentence per problem, without secrets, in the order of the schema. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: string[];

  constructor(unordered: string[]) {
    const problems = unordered.toSorted((one, other) => positionOf(one) - positionOf(other));
    super(`The settings are not valid:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
    this.problems = problems;
  }
}

/** The first setting that a problem names. */
function settingIn(problem: string): string | undefined {
  return /[A-Z][A-Z0-9_]+/.exec(problem)?.[0];
}

/** Schema position of the first setting that a problem names. */
function positionOf(problem: string): number {
  const position = allSettings.indexOf(settingIn(problem) as SettingName);
  return position < 0 ? allSettings.length : position;
}

/**
 * Reads the settings from `env` (usually `process.env`); an empty value is treated as absent.
 * @param names settings to read, for a command that needs only a few; all by default. Other settings are neither required nor checked.
 * @throws {ConfigError} naming every setting that is missing or doesn't match the schema; if there are none, every other problem.
 */
export async function readConfig<Name extends SettingName = SettingName>(
  env: Record<string, string | undefined>,
  names: readonly Name[] = allSettings as Name[],
): Promise<Pick<Config, Name>> {
  const given = withoutEmpty(env);
  const spaced = spaceProblems(given, names);
  const { values, contradictions } = mergeUrls(given, names);
  const wanted = settings.pick(Object.fromEntries(names.map((name) => [name, true])) as Record<SettingName, true>);
  const { data: config, error } = wanted.safeParse(typed(values, names));
  const found = config ? crossProblems(config) : await schemaProblems(values, names, error);
  const isUrlWrong = [...spaced.values(), ...contradictions].some((problem) => problem.startsWith("DATABASE_URL "));
  // The URL must be corrected, not the settings that it should have provided.
  const others = [...contradictions, ...found].filter((problem) => !isUrlWrong || !/^DATABASE_\w+ is missing/.test(problem));
  // Other problems with the same setting may have the same cause.
  const problems = [...spaced.values(), ...others.filter((problem) => !spaced.has(settingIn(problem)))];
  if (!config || problems.length > 0) throw new ConfigError(problems);
  return config;
}

async function schemaProblems(values: Values, names: readonly SettingName[], { issues }: z.ZodError): Promise<string[]> {
  // Imported only on failure, because the import takes longer than reading the settings.
  const { settingProblems } = await import("./setting-problems.ts");
  return await settingProblems(values, names, [...new Set(issues.map(({ path }) => path[0] as SettingName))]);
}

function withoutEmpty(env: Record<string, string | undefined>): Values {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

/** Converts numbers and booleans; leaves any other text unchanged. */
function typed(values: Values, names: readonly SettingName[]): Record<string, unknown> {
  const read = (text: string, { type }: z.core.JSONSchema.BaseSchema) => {
    if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
    const isNumber = text.trim() !== "" && Number.isFinite(Number(text)); // spaces alone would be 0
    return (type === "number" || type === "integer") && isNumber ? Number(text) : text;
  };
  return Object.fromEntries(
    names.flatMap((name) => (values[name] === undefined ? [] : [[name, read(values[name], settingProperties[name])]])),
  );
}

/** Problems that the schema can't express, such as conflicts between settings. Settings that weren't read are undefined. */
function crossProblems(config: Config): string[] {
  const problems = [
    ...portProblems(config),
    ...folderProblems(config),
    ...hostProblems(config),
    ...tracingProblems(config),
    ...tlsProblems(config),
  ];
  if (config.DEFAULT_VIEWPORT_WIDTH > config.MAX_SCREENSHOT_WIDTH)
    problems.push("DEFAULT_VIEWPORT_WIDTH is larger than MAX_SCREENSHOT_WIDTH");
  if (config.DEFAULT_VIEWPORT_HEIGHT > config.MAX_SCREENSHOT_HEIGHT)
    problems.push("DEFAULT_VIEWPORT_HEIGHT is larger than MAX_SCREENSHOT_HEIGHT");
  if (config.SMTP_URL && !config.MAIL_FROM) problems.push("MAIL_FROM is missing: e-mail needs a sender if SMTP_URL is set");
  return problems;
}

function hostProblems({ EGRESS_ALLOWED_HOSTS = "", PROXIES = "", TRUST_PROXY = "" }: Partial<Config>): string[] {
  const problems: string[] = [];
  try {
    parseAllowedHosts(EGRESS_ALLOWED_HOSTS);
  } catch (error) {
    problems.push(`EGRESS_ALLOWED_HOSTS: ${(error as Error).message}`);
  }
  try {
    parseProxies(PROXIES);
  } catch (error) {
    problems.push(`PROXIES: ${(error as Error).message}`);
  }
  const unusable = commaList(TRUST_PROXY).find((entry) => !isTrustable(entry));
  if (unusable !== undefined)
    problems.push(`TRUST_PROXY contains ${JSON.stringify(unusable)}; it must be ${describeSchema(settingProperties.TRUST_PROXY)}`);
  return problems;
}

/** The ports that this process listens on must differ. */
function portProblems(config: Config): string[] {
  const ports = [
    { name: "PORT", port: config.PORT, use: "the API" },
    ...(config.ENABLE_METRICS ? [{ name: "METRICS_PORT", port: config.METRICS_PORT, use: "the metrics" }] : []),
    ...(config.ROLE === "api" ? [] : [{ name: "CDP_PORT", port: config.CDP_PORT, use: "the browser endpoint" }]),
  ];
  return ports.flatMap(({ name, port, use }, index) => {
    const earlier = port === undefined ? undefined : ports.slice(0, index).find((other) => other.port === port);
    return earlier ? [`${name} and ${earlier.name} are the same: use a different port for ${use}`] : [];
  });
}

/** Splits a comma-separated setting. */
export function commaList(text: string): string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}
