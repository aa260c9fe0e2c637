/** Settings for proxies between the service and the pages that it captures. */

import { z } from "zod";
import { parseProxyUrl, type UpstreamProxy, validProxyUrl } from "../shared/proxy-url.ts";
import { optionalText } from "./types.ts";

export const proxySettings = {
  PROXIES: optionalText().meta({
    isList: true,
    secret: true,
    description:
      "Proxies that captures may use, separated by spaces or line breaks: `de=http://user:password@host:port` for `country=de`, or `socks5://…`. Names that aren't countries are allowed. `de[pro,team]=…` reserves a proxy for plans, or for accounts, by their ids. Special characters in user and password are percent-encoded.",
    example: "de=http://user:change-me@proxy.example:8080",
  }),
  PROXY_BY_REQUEST: z.boolean().default(false).meta({
    description: "Accept the `proxy` option, with the URL of a caller's own proxy. The proxy's address must be public.",
  }),
};

interface NamedProxySetting {
  /** Country or name, in lower case. */
  name: string;
  /** Ids of plans and accounts that may use it; all if empty. */
  allowed: string[];
  proxy: UpstreamProxy;
}

const proxiesMax = 300;
const entryForm = /^([a-z0-9][a-z0-9-]{0,31})(?:\[([\w,-]+)\])?=(\S+)$/i;

/**
 * Parses `PROXIES`; returns no proxies for an empty string.
 * @throws {Error} stating the position of the first invalid entry, but not its text, which may contain a password.
 */
export function parseProxies(text: string): NamedProxySetting[] {
  const entries = text.split(/\s+/).filter((entry) => entry !== "");
  if (entries.length > proxiesMax) throw new Error(`has ${entries.length} entries; at most ${proxiesMax} are allowed`);
  const names = new Set<string>();
  return entries.map((entry, index) => {
    const [, given = "", ids = "", url = ""] = entryForm.exec(entry) ?? [];
    const name = given.toLowerCase();
    const position = `entry ${index + 1}`;
    if (name === "") throw new Error(`${position} is not valid; each must be name=URL or name[plan,plan]=URL, such as de=http://host:8080`);
    const proxy = parseProxyUrl(url, true);
    // The message omits the name: if a password contains a space, the text after the space looks like the next entry's name.
    if (!proxy) throw new Error(`${position} has no valid URL; it must be ${validProxyUrl}`);
    if (names.has(name)) throw new Error(`${position} has the name of an earlier entry`);
    names.add(name);
    return { name, allowed: ids.split(",").filter((id) => id !== ""), proxy };
  });
}
