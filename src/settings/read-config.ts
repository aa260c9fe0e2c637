/** Reads the settings from the environment, and reports problems with them together. */

import { isIP } from "node:net";
import type { z } from "zod";
import { parseAllowedHosts } from "../egress/address-policy.ts";
import { type Config, type SettingName, settingProperties, settings } from "./config.ts";
import { tlsProblems } from "./database-settings.ts";
import { parseProxies } from "./proxies.ts";
import { mergeUrls, type Values } from "./store-urls.ts";
import { tracingProblems } from "./tracing-settings.ts";

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

/** Schema position of the first setting that a problem names. */
function positionOf(problem: string): number {
  const position = allSettings.indexOf(/[A-Z][A-Z0-9_]+/.exec(problem)?.[0] as SettingName);
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
  const { values, contradictions } = mergeUrls(withoutEmpty(env), names);
  const wanted = settings.pick(Object.fromEntries(names.map((name) => [name, true])) as Record<SettingName, true>);
  const { success, data: config, error } = wanted.safeParse(typed(values, names));
  if (!success) {
    // Imported only on failure, because the import takes longer than reading the settings.
    const { settingProblems } = await import("./setting-problems.ts");
    const found = await settingProblems(values, names, [...new Set(error.issues.map(({ path }) => path[0] as SettingName))]);
    const isUrlWrong = contradictions.some((problem) => problem.startsWith("DATABASE_URL "));
    // The URL must be corrected, not the settings that it should have provided.
    const others = found.filter((problem) => !isUrlWrong || !/^DATABASE_\w+ is missing/.test(problem));
    throw new ConfigError([...contradictions, ...others]);
  }
  const problems = [...contradictions, ...crossProblems(config)];
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
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
  const problems = [...urlProblems(config), ...hostProblems(config), ...tracingProblems(config), ...tlsProblems(config)];
  if (config.DEFAULT_VIEWPORT_WIDTH > config.MAX_SCREENSHOT_WIDTH)
    problems.push("DEFAULT_VIEWPORT_WIDTH is larger than MAX_SCREENSHOT_WIDTH");
  if (config.DEFAULT_VIEWPORT_HEIGHT > config.MAX_SCREENSHOT_HEIGHT)
    problems.push("DEFAULT_VIEWPORT_HEIGHT is larger than MAX_SCREENSHOT_HEIGHT");
  if (config.ENABLE_METRICS && config.METRICS_PORT === config.PORT)
    problems.push("METRICS_PORT and PORT are the same: use a different port for the metrics");
  if (config.SMTP_URL && !config.MAIL_FROM) problems.push("MAIL_FROM is missing: e-mail needs a sender if SMTP_URL is set");
  if (config.SMTP_URL && URL.canParse(config.SMTP_URL) && !isServerUrl(new URL(config.SMTP_URL)))
    problems.push("SMTP_URL is not the URL of a server; percent-encode special characters in the user name and password, such as # as %23");
  return problems;
}

/** Whether only a query follows the host: an unencoded special character in a password would end the host early. */
function isServerUrl({ pathname, search, hash }: URL): boolean {
  return /^\/?$/.test(pathname) && hash === "" && !search.includes("@");
}

/** Settings whose URL doesn't have to be an HTTP URL. */
const otherUrls = /^(DATABASE|REDIS|STORAGE|SMTP)_/;

function urlProblems(config: Config): string[] {
  const values = Object.entries(config).filter(
    ([name, value]) => /_(URL|ENDPOINT|ISSUER)$/.test(name) && typeof value === "string" && value !== "",
  );
  return values
    .filter(([name, value]) => {
      const url = URL.parse(String(value));
      return !url || (!otherUrls.test(name) && !/^https?:$/.test(url.protocol));
    })
    .map(([name, value]) => {
      const shown = settings.shape[name as SettingName].meta()?.secret ? "invalid" : JSON.stringify(value);
      const kind = otherUrls.test(name) ? "URL" : "http or https URL";
      return `${name} is ${shown}; it must be an absolute ${kind}, such as http://localhost:8333`;
    });
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
  const unusable = commaList(TRUST_PROXY).find((entry) => !isProxy(entry));
  if (unusable !== undefined)
    problems.push(
      `TRUST_PROXY contains ${JSON.stringify(unusable)}; it must be a comma-separated list of IP addresses and CIDRs such as 10.0.0.0/8`,
    );
  return problems;
}

/** Matches what Fastify accepts in `trustProxy`. */
function isProxy(entry: string): boolean {
  if (["loopback", "linklocal", "uniquelocal"].includes(entry)) return true;
  const [address = "", prefix, ...rest] = entry.split("/");
  const bits = isIP(address) === 6 ? 128 : 32;
  const fits = prefix === undefined || (isIP(prefix) === 4 && bits === 32) || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  return isIP(address) !== 0 && fits && rest.length === 0;
}

/** Splits a comma-separated setting. */
export function commaList(text: string): string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}
