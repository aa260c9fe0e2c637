/** Settings of the dashboard's server, read from its environment. */

export interface Settings {
  /** URL of the API. */
  api: URL;
  /** Public URL of the API for code snippets; empty: this server. */
  apiPublicUrl: string;
  port: number;
  host: string;
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
    if (url && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" && url.username === "") return url;
    problems.push(`${name} must be an http or https URL without a query`);
    return undefined;
  };
  const api = address("WEB_SERVER_URL", true);
  const apiPublicUrl = address("API_PUBLIC_URL", false);
  const port = Number(env.WEB_PORT || 3001);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) problems.push("WEB_PORT must be an integer from 1 to 65535");
  const logLevel = env.LOG_LEVEL || "info";
  if (!logLevels.includes(logLevel)) problems.push(`LOG_LEVEL must be one of ${logLevels.join(", ")}`);
  if (!api || problems.length > 0) throw new Error(`Invalid settings:\n${problems.join("\n")}`);
  const proxies = (env.WEB_TRUST_PROXY ?? "").split(",").map((entry) => entry.trim());
  return {
    api,
    apiPublicUrl: apiPublicUrl?.href.replace(/\/$/, "") ?? "",
    port,
    host: env.WEB_HOST || "0.0.0.0",
    trustProxy: proxies[0] ? proxies : false,
    logLevel,
  };
}
