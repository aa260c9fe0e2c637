/** Settings of the dashboard's server, read from its environment. */

import { isIP } from "node:net";

export interface Settings {
  /** URL of the API. */
  api: URL;
  /** Public URL of the API for code snippets; this server's URL if empty. */
  apiPublicUrl: string;
  port: number;
  host: string;
  /** Whether `host` comes from `WEB_HOST`, which is the API's name for this server, and used to be the name of this setting. */
  isHostFromOldName: boolean;
  /** Reverse proxies whose `X-Forwarded-*` headers are trusted. */
  trustProxy: string[] | false;
  logLevel: string;
}

type Environment = Record<string, string | undefined>;

const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"];

/**
 * An empty value counts as absent.
 * @throws {Error} listing all missing and invalid settings.
 */
export function readSettings(env: Environment): Settings {
  const problems: string[] = [];
  const address = (name: string, required: boolean): URL | undefined => {
    const text = env[name];
    if (!text) {
      if (required) problems.push(`${name} is missing: the URL at which this server reaches the API, such as http://localhost:3000`);
      return undefined;
    }
    const url = URL.parse(text);
    if (
      url &&
      /^https?:$/.test(url.protocol) &&
      url.search === "" &&
      url.hash === "" &&
      url.username === "" &&
      url.password === "" &&
      url.port !== "0"
    )
      return url;
    problems.push(`${name} must be an http or https URL without user name, password, query and fragment`);
    return undefined;
  };
  const api = address("WEB_SERVER_URL", true);
  const apiPublicUrl = address("API_PUBLIC_URL", false);
  const port = Number(env.WEB_PORT || 3001);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) problems.push("WEB_PORT must be an integer from 1 to 65535");
  const logLevel = env.LOG_LEVEL || "info";
  if (!logLevels.includes(logLevel)) problems.push(`LOG_LEVEL must be one of ${logLevels.join(", ")}`);
  const proxies = proxiesOf(env.WEB_TRUST_PROXY ?? "");
  const wrong = proxies.find((proxy) => !isProxy(proxy));
  if (wrong !== undefined)
    problems.push(
      `WEB_TRUST_PROXY contains ${JSON.stringify(wrong)}; it must be a list of IP addresses and CIDRs such as 10.0.0.0/8, but not of length 0`,
    );
  if (!api || problems.length > 0) throw new Error(`Invalid settings:\n${problems.join("\n")}`);
  return {
    api,
    apiPublicUrl: apiPublicUrl?.href.replace(/\/$/, "") ?? "",
    port,
    host: env.WEB_LISTEN_HOST || env.WEB_HOST || "0.0.0.0",
    isHostFromOldName: !env.WEB_LISTEN_HOST && Boolean(env.WEB_HOST),
    trustProxy: proxies.length > 0 ? proxies : false,
    logLevel,
  };
}

function proxiesOf(text: string): string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

/** Whether Fastify accepts it in `trustProxy`. The same as in the API's `trusted-proxies.ts`, which this package can't import. */
function isProxy(entry: string): boolean {
  if (["loopback", "linklocal", "uniquelocal"].includes(entry)) return true;
  const [address = "", length, ...rest] = entry.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0 || !/^[^%]*(%[0-9a-z]+)?$/i.test(address)) return false;
  return length === undefined || isLength(length, version === 6 ? 128 : 32) || (version === 4 && isMask(length));
}

function isLength(text: string, max: number): boolean {
  return /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= max;
}

/** Whether it is a mask such as 255.255.0.0: ones, then zeros. */
function isMask(text: string): boolean {
  const bits = text.split(".").map((part) => Number(part).toString(2).padStart(8, "0"));
  return isIP(text) === 4 && /^1+0*$/.test(bits.join(""));
}
