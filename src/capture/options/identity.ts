/** The identity shown to the target: user agent, headers, authorization, cookies. */

import type { Protocol } from "devtools-protocol";
import { type Cookie, parseSetCookie } from "set-cookie-parser";
import { replaceAgent, userAgentOverride } from "../../browser/client-hints.ts";
import { AppError } from "../../shared/errors.ts";
import { optionGroup } from "../option-group.ts";
import { lines, text } from "../parameter-types.ts";

/** Headers that the connection or Chromium itself manages (RFC 9110, sections 7.6.1 and 8.6; RFC 9112, section 6). */
const refusedHeaders = /^(connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

const headersMax = 8192;
const cookiesMax = 4096;

export const identity = optionGroup({
  title: "Identity",
  intro:
    "User agent, headers and credentials. `headers` and `authorization` are sent only to the target's origin, not to third parties, and not after a redirect to another origin.",
  example: { headers: "Accept-Language: de", cookies: "session=1; Path=/; Secure" },
  onlyIfSet: true,
  parameters: () => ({
    user_agent: text(1024, asciiProblem)
      .optional()
      .meta({
        output: "load",
        valid: "printable ASCII of at most 1024 characters",
        description:
          "User agent, with matching client hints; by default, Chromium's own. Takes precedence over the user agent of `viewport_device`.",
        examples: ["Mozilla/5.0 (compatible; Preview/1.0)"],
      }),
    headers: lines(headersMax, headerProblem).meta({
      output: "load",
      pairs: ": ",
      secret: true,
      valid: `at most 100 lines of \`Name: Value\`, ${headersMax} characters in total`,
      description: "Headers to send to the target's origin: `Name: Value`, one per line.",
      examples: [["Accept-Language: de"]],
    }),
    authorization: text(4096, asciiProblem)
      .optional()
      .meta({
        output: "load",
        secret: true,
        valid: "printable ASCII of at most 4096 characters",
        description: "`Authorization` header to send to the target's origin. Takes precedence over an `Authorization` line in `headers`.",
        examples: ["Basic dXNlcjpwYXNzd29yZA=="],
      }),
    cookies: lines(cookiesMax, cookieProblem).meta({
      output: "load",
      pairs: "=",
      secret: true,
      valid: `at most 100 lines of \`name=value; attributes\`, ${cookiesMax} characters in total`,
      description:
        "Cookies to set before the page loads, in `Set-Cookie` syntax, one per line. Without `Domain`, a cookie is set for the target's host.",
      examples: [["session=1; Path=/; Secure"]],
    }),
  }),
  requests: ({ headers = [], authorization }, url) => {
    const added = Object.fromEntries(headers.map(splitHeader));
    if (authorization !== undefined) {
      for (const name of Object.keys(added)) if (name.toLowerCase() === "authorization") delete added[name];
      added.Authorization = authorization;
    }
    if (Object.keys(added).length === 0) return undefined;
    return {
      pattern: { urlPattern: `${url.origin}/*` },
      decide: (request) => (new URL(request.url).origin === url.origin ? { headers: added } : undefined),
    };
  },
  beforeNavigation: async ({ user_agent, cookies }, { tab, url, agent }) => {
    if (user_agent) replaceAgent(agent, userAgentOverride(user_agent));
    if (cookies)
      await tab
        .send("Network.setCookies", { cookies: cookies.flatMap(cookiesIn).map((line) => cookieParameter(line, url)) })
        .catch(refusedCookie);
  },
});

function asciiProblem(value: string): string | undefined {
  return /^[\x20-\x7e]+$/.test(value) ? undefined : "contains characters other than printable ASCII";
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
}

function headerProblem(line: string): string | undefined {
  const [name, value] = splitHeader(line);
  if (!line.includes(":") || !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return "contains a line that is not `Name: Value`";
  if (refusedHeaders.test(name)) return `may not set ${name}, which the browser sets itself`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these may not be in a header (RFC 9110, 5.5)
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value)) return `contains a control character in ${name}`;
  return undefined;
}

const attribute = /^(expires|max-age|domain|path|samesite|priority)$/i;

/** The cookies in a line: one with attributes, or several as in a `Cookie` header, such as `a=1; b=2`. */
function cookiesIn(line: string): string[] {
  const [first = "", ...others] = line.split(";").map((part) => part.trim());
  const isCookie = (part: string) => part.includes("=") && !attribute.test(part.slice(0, part.indexOf("=")).trim());
  const more = others.filter(Boolean);
  return more.length > 0 && more.every(isCookie) ? [first, ...more] : [line];
}

function cookieProblem(line: string): string | undefined {
  return cookiesIn(line).every((cookie) => parseCookie(cookie)?.name && cookie.split(";", 1)[0]?.includes("="))
    ? undefined
    : "contains a line that is not `name=value; attributes`";
}

function parseCookie(line: string): Cookie | undefined {
  return (parseSetCookie(line, { decodeValues: false, split: false }) as Cookie[])[0];
}

function cookieParameter(line: string, url: URL): Protocol.Network.CookieParam {
  const cookie = parseCookie(line) as Cookie; // validated with the other parameters
  const expires = cookie.maxAge !== undefined ? Date.now() / 1000 + cookie.maxAge : cookie.expires && cookie.expires.getTime() / 1000;
  const sameSite = (["Strict", "Lax", "None"] as const).find((value) => value.toLowerCase() === cookie.sameSite?.toLowerCase());
  return {
    name: cookie.name,
    value: cookie.value,
    path: cookie.path ?? "/",
    ...(cookie.domain ? { domain: cookie.domain } : { url: url.href }),
    ...(cookie.secure ? { secure: true } : {}),
    ...(cookie.httpOnly ? { httpOnly: true } : {}),
    ...(sameSite ? { sameSite } : {}),
    ...(expires ? { expires } : {}),
  };
}

/** Chromium sets all cookies or none, and doesn't report which one is invalid. */
function refusedCookie(error: unknown): never {
  if (error instanceof Error && /cookie/i.test(error.message)) {
    throw new AppError("invalid_parameters", {
      details: [
        {
          parameter: "cookies",
          message: "cookies contains a cookie that the browser rejects: check its Domain, Path, Secure and SameSite attributes",
        },
      ],
      cause: error,
    });
  }
  throw error;
}
