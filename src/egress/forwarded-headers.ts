/** Copies the headers that a proxy passes on, in their order and spelling. */

/** Meant for the next hop only (RFC 9110, 7.6.1), or answered by the lane itself (`Expect`). */
const hopByHop = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Headers in the flat form of `rawHeaders`, without those of the hop and those that `Connection` names. */
export function endToEndHeaders(rawHeaders: readonly string[]): string[] {
  const named = new Set(
    pairs(rawHeaders)
      .filter(([name]) => name.toLowerCase() === "connection")
      .flatMap(([, value]) => value.split(",").map((token) => token.trim().toLowerCase())),
  );
  return pairs(rawHeaders)
    .filter(([name]) => !hopByHop.has(name.toLowerCase()) && !named.has(name.toLowerCase()))
    .flat();
}

/**
 * A request's headers for its origin: `Host` becomes `authority`, where it stood, for the target alone decides (RFC 9112, 3.2.2).
 * `chunked` keeps a body of unknown length framed, also for methods that usually have none.
 */
export function requestHeaders(rawHeaders: readonly string[], authority: string, chunked: boolean): string[] {
  const kept = pairs(endToEndHeaders(rawHeaders));
  const at = kept.findIndex(([name]) => name.toLowerCase() === "host");
  const others = kept.filter(([name]) => name.toLowerCase() !== "host");
  others.splice(Math.max(at, 0), 0, ["Host", authority]);
  if (chunked) others.push(["Transfer-Encoding", "chunked"]);
  return others.flat();
}

function pairs(flat: readonly string[]): [name: string, value: string][] {
  return Array.from({ length: flat.length / 2 }, (_, index) => [flat[index * 2] ?? "", flat[index * 2 + 1] ?? ""]);
}
