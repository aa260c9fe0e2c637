/** Which page is captured. */

import { z } from "zod";
import { optionGroup } from "../option-group.ts";

export const target = optionGroup({
  title: "Target",
  intro: "The page. The one parameter that every request needs, besides `api_key`.",
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

function problemWith(text: string): string | undefined {
  if (!URL.canParse(text))
    return URL.canParse(`https://${text}`) && !text.includes(":") ? `is not absolute; did you mean https://${text}?` : "is not a URL";
  const { protocol, username, password, hostname } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return `has the scheme ${protocol.slice(0, -1)}, which is not captured`;
  if (username || password) return "carries a user name or password; send them in authorization, as `Basic` and their Base64";
  if (hostname === "") return "has no host";
  return undefined;
}
