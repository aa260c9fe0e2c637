/** Reads the settings contained in `DATABASE_URL` and `REDIS_URL`. */

import { settings } from "./config.ts";

export type Values = Record<string, string>;

/** Fills in the individual PostgreSQL and Redis settings from their URLs. Values given both ways must agree. */
export function mergeUrls(env: Values, names: readonly string[]): { values: Values; contradictions: string[] } {
  const values = { ...env };
  const contradictions: string[] = [];
  for (const prefix of ["DATABASE", "REDIS"] as const) {
    const name = `${prefix}_URL` as const;
    const text = env[name];
    if (text === undefined || !names.includes(name)) continue;
    const parts = URL.canParse(text) ? urlParts(new URL(text)) : undefined;
    if (!parts) {
      contradictions.push(`${name} is not a URL such as ${examples[prefix]}; ${encoding}`);
      continue;
    }
    if (prefix === "DATABASE" && !/^postgres(ql)?:$/.test(parts.protocol)) {
      contradictions.push(`${name} must begin with postgresql://`);
      continue;
    }
    const wrong = partProblems(prefix, new URL(text), Object.values(parts.settings));
    contradictions.push(...wrong);
    if (wrong.length > 0) continue;
    for (const [part, fromUrl] of Object.entries(parts.settings)) {
      const setting = `${prefix}_${part}`;
      if (!(setting in settings.shape) || fromUrl === "") continue;
      const alone = env[setting];
      if (alone !== undefined && alone !== fromUrl)
        contradictions.push(`${setting} contradicts ${name}: set only one of them, or both to the same value`);
      else values[setting] = fromUrl;
    }
  }
  return { values, contradictions };
}

/** PostgreSQL URL parameters for which we have settings. */
const sslParameters = ["sslmode", "sslrootcert"];

const encoding = "percent-encode special characters in the user name and password, such as %23 for #";
const examples = { DATABASE: "postgresql://user:password@host:5432/name", REDIS: "redis://localhost:6379" };

/** Problems with parts of the URL that would be silently ignored, or that belong to a password that isn't percent-encoded. */
function partProblems(prefix: keyof typeof examples, { hash, hostname, pathname, searchParams }: URL, decoded: string[]): string[] {
  const name = `${prefix}_URL`;
  if (decoded.some((part) => /\p{Cc}/u.test(part))) return [`${name} contains an encoded control character, such as %00 or %0A: remove it`];
  if (hash) return [`${name} contains a #; ${encoding}`];
  if (hostname.includes(",")) return [`${name} lists several hosts: list only the one that accepts writes`];
  if (prefix === "REDIS" && !/^(\/\d{0,9})?$/.test(pathname)) return [`${name} has a path that is not a database number, such as /0`];
  const known = prefix === "DATABASE" ? sslParameters : [];
  const given = [...searchParams.keys()];
  const twice = known.find((parameter) => given.indexOf(parameter) !== given.lastIndexOf(parameter));
  if (twice) return [`${name} has ${twice} more than once`];
  const others = given.filter((parameter) => !known.includes(parameter));
  if (others.length === 0) return [];
  // Any other text may be part of a password, which must not be logged.
  if (!others.every((parameter) => /^[a-z_]{1,40}$/.test(parameter))) return [`${name} contains an unexpected ?; ${encoding}`];
  const [noun, have, them] = others.length === 1 ? ["parameter", "has", "it"] : ["parameters", "have", "them"];
  return [
    `${name} has the ${noun} ${others.join(", ")}, which ${have} no effect: remove ${them}${known.length > 0 ? `; supported: ${known.join(" and ")}` : ""}`,
  ];
}

function urlParts(url: URL): { protocol: string; settings: Record<string, string> } | undefined {
  try {
    return {
      protocol: url.protocol,
      settings: {
        HOST: decodeURIComponent(url.hostname.replace(/^\[|\]$/g, "")),
        PORT: url.port,
        NAME: decodeURIComponent(url.pathname.slice(1)),
        USER: decodeURIComponent(url.username),
        PASSWORD: decodeURIComponent(url.password),
        SSLMODE: url.searchParams.get("sslmode") ?? "",
        SSLROOTCERT: url.searchParams.get("sslrootcert") ?? "",
      },
    };
  } catch {
    return undefined; // a stray % in one of the parts
  }
}
