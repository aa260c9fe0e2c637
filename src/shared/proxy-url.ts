/** Parses proxy URLs, which operators and callers can set for captures. */

import { parseUrl } from "./urls.ts";

/**
 * Like `UpstreamProxy` in `egress/upstream.ts`, without `deadlineAt`; declared twice because egress/ may not import from other directories.
 */
export interface UpstreamProxy {
  protocol: "http" | "socks5";
  /** As in `URL`, with IPv6 addresses in brackets. */
  host: string;
  port: number;
  /** Undefined if the proxy needs none. A secret, which must not appear in logs, errors or records. */
  credentials: { user: string; password: string } | undefined;
  /** Whether the operator configured the proxy; only then may its address be private. */
  isTrusted: boolean;
  /** Whether only TLS connections may go through the proxy, because it must not be able to read the traffic. */
  isEncryptedOnly?: boolean | undefined;
}

export const proxyUrlMax = 512;

/** Valid proxy URLs, for messages. */
export const validProxyUrl =
  "http://user:password@host:port or socks5://user:password@host:port, with special characters in the user name and password percent-encoded";

/** RFC 1929, section 2. */
const credentialBytesMax = 255;
const form = /^(http|socks5):\/\/(?:([^@/?#\s]*)@)?(\[[0-9a-f:.]+\]|[^@:/?#[\]\s]+):(\d{1,5})\/?$/i;

/** Parses a proxy's URL; undefined if it is invalid. */
export function parseProxyUrl(text: string, isTrusted: boolean): UpstreamProxy | undefined {
  if (text.length > proxyUrlMax) return undefined;
  const [, scheme = "", userInfo, hostText = "", portText] = form.exec(text) ?? [];
  const [protocol, port] = [scheme.toLowerCase() === "http" ? "http" : "socks5", Number(portText)] as const;
  const host = parseUrl(`http://${hostText}/`)?.hostname ?? "";
  if (host === "" || !(port >= 1 && port <= 65_535)) return undefined;
  if (userInfo === undefined || userInfo === "") return { protocol, host, port, credentials: undefined, isTrusted };
  const credentials = credentialsOf(userInfo);
  // In HTTP's Basic credentials, the first colon ends the user name (RFC 7617, section 2).
  if (!credentials || (protocol === "http" && credentials.user.includes(":"))) return undefined;
  return { protocol, host, port, credentials, isTrusted };
}

function credentialsOf(userInfo: string): UpstreamProxy["credentials"] {
  const colon = userInfo.includes(":") ? userInfo.indexOf(":") : userInfo.length;
  try {
    const [user, password] = [decodeURIComponent(userInfo.slice(0, colon)), decodeURIComponent(userInfo.slice(colon + 1))];
    const isUsable = [user, password].every((part) => Buffer.byteLength(part) <= credentialBytesMax && !/\p{Cc}/u.test(part));
    return user !== "" && isUsable ? { user, password } : undefined;
  } catch {
    return undefined; // malformed percent-encoding
  }
}
