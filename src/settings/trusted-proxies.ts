/** Checks the entries of `TRUST_PROXY`. */

import { isIP } from "node:net";

const named = ["loopback", "linklocal", "uniquelocal"];

/** Whether Fastify accepts it in `trustProxy`: a name, an address, or a range of at least one fixed bit. */
export function isTrustable(entry: string): boolean {
  if (named.includes(entry)) return true;
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
