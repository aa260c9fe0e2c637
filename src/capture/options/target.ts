/** Which page is captured. */

import { z } from "zod";
import { optionGroup } from "../option-group.ts";

export const target = optionGroup({
  title: "Target",
  intro:
    "The page to capture: the one parameter that every request needs besides `api_key`. A page that answers with an error status is still captured, and `X-Target-Status` has the status.",
  parameters: () => ({
    url: z
      .string()
      .max(2048)
      .check(({ value, issues }) => {
        const problem = problemWith(value);
        if (problem) issues.push({ code: "custom", message: problem, input: value });
      })
      .overwrite((value) => (URL.canParse(value) ? new URL(value).href : value))
      .meta({
        format: "uri",
        valid: "an absolute http or https address of at most 2048 characters",
        description: "Address of the page: absolute, http or https. Percent-encode it, as every value of a query string.",
        examples: ["https://example.com/"],
      }),
  }),
});

/** The URL that `text` probably means, where it is not absolute. */
function absoluteUrl(text: string): string | undefined {
  const meant = /^https?\/\//i.test(text) ? text.replace("//", "://") : `https://${text.replace(/^\/\//, "")}`;
  const isAbsolute = URL.canParse(text) && !/^[\w.-]+:\d+([/?#]|$)/.test(text); // a host and its port read like a scheme
  return !isAbsolute && !/^[\w.-]+:(?!\d)/.test(text) && URL.canParse(meant) ? meant : undefined;
}

function problemWith(text: string): string | undefined {
  const meant = absoluteUrl(text);
  if (meant) return `is not absolute (did you mean ${meant}?)`;
  if (!URL.canParse(text)) return "is not a URL";
  const { protocol, username, password, hostname } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return `has the scheme ${protocol.slice(0, -1)}, which is not captured`;
  if (username || password) return "carries a user name or password; send them in authorization, as `Basic` and their Base64";
  if (hostname === "") return "has no host";
  return undefined;
}
