/** Reads and validates the tracing settings. */

import type { Config } from "./config.ts";

/** The URL to which spans are sent; undefined if tracing is off. */
export function collectorOf(
  config: Pick<Config, "OTEL_SDK_DISABLED" | "OTEL_EXPORTER_OTLP_ENDPOINT" | "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT">,
): string | undefined {
  if (config.OTEL_SDK_DISABLED) return undefined;
  if (config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) return config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const base = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  return base ? `${base.replace(/\/$/, "")}/v1/traces` : undefined;
}

const key = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * @param text `key=value,key=value` with percent-encoded values.
 * @throws {Error} stating the position of the invalid pair, but not its content, which may be secret.
 */
export function parsePairs(text: string): Record<string, string> {
  if (text === "") return {};
  return Object.fromEntries(
    text.split(",").map((pair, index) => {
      const [name = "", ...value] = pair.split("=").map((part) => part.trim());
      const decoded = decode(value.join("="));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: no header may contain them
      if (!key.test(name) || value.length === 0 || decoded === undefined || /[\0-\x08\x0a-\x1f\x7f]/.test(decoded))
        throw new Error(
          `pair ${index + 1} is not valid; use comma-separated key=value pairs, with special characters in values percent-encoded`,
        );
      return [name, decoded];
    }),
  );
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** One sentence for each problem, omitting values that may be secret. */
export function tracingProblems(config: Partial<Config>): string[] {
  return (["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_RESOURCE_ATTRIBUTES"] as const).flatMap((name) => {
    try {
      parsePairs(config[name] ?? "");
      return [];
    } catch (error) {
      return [`${name}: ${(error as Error).message}`];
    }
  });
}
