/** Setting types shared by several groups. */

import { isIPv6 } from "node:net";
import { z } from "zod";

export const port = (value: number) => z.int().min(1).max(65_535).default(value);

export const integer = (min: number, max: number) => z.int().min(min).max(max);

/** Text that may be empty; `pattern` must also match the empty string. */
export const optionalText = (pattern?: RegExp) => (pattern ? z.string().regex(pattern) : z.string()).default("");

export const requiredText = () => z.string().min(1);

const validHost = "a host name or IP address, without port and brackets";

/** The name or address of a host. */
export const hostText = () =>
  z
    .string()
    .regex(/^[^\s/@,[\]]+$/)
    .refine(hasNoPort)
    .meta({ valid: validHost });

/** Like `hostText`, or the folder of a Unix socket. */
export const hostOrFolder = () =>
  z
    .string()
    .regex(/^(\/.*|[^\s/@,[\]]+)$/)
    .refine((text) => text.startsWith("/") || hasNoPort(text))
    .meta({ valid: `${validHost}, or the folder of a socket` });

function hasNoPort(host: string): boolean {
  return !host.includes(":") || isIPv6(host);
}

/**
 * Patterns of http and https URLs, by what may follow the host; all match the empty string. Other parts are refused instead of ignored,
 * because an operator would rely on them. Helm checks the patterns too; `isUrl` checks what they can't express.
 */
const httpUrls = {
  nothing: { pattern: /^(https?:\/\/[^\s/?#@\\]+\/?)?$/, refused: "user name, password, path, query and fragment" },
  path: { pattern: /^(https?:\/\/[^\s/?#@\\]+(\/[^\s?#]*)?)?$/, refused: "user name, password, query and fragment" },
  query: { pattern: /^(https?:\/\/[^\s/?#@\\]+(\/[^\s?#]*)?(\?[^\s#]*)?)?$/, refused: "user name, password and fragment" },
};

type AfterHost = keyof typeof httpUrls;

export const validHttpUrl = (last: AfterHost = "path"): string => `an http or https URL without ${httpUrls[last].refused}`;

/** @param last the last part that the URL may have after its host. */
export const httpUrl = (last: AfterHost = "path", value = "") =>
  z
    .string()
    .regex(httpUrls[last].pattern)
    .refine((text) => text === "" || isUrl(text))
    .default(value)
    .meta({ valid: validHttpUrl(last) });

/** Port 0 is refused because programs would take the default port instead. */
export function isUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.port !== "0";
}
