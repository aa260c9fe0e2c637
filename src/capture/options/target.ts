/** Which page is captured, and which statuses of it are an error. */

import { STATUS_CODES } from "node:http";
import { z } from "zod";
import { AppError } from "../../errors.ts";
import { optionGroup } from "../option-group.ts";

export const target = optionGroup({
  title: "Target",
  intro:
    "The page to capture: the one parameter that every request needs besides `api_key`. A page that answers with an error status is still captured, and `X-Target-Status` has the status.",
  example: { fail_on_status: "404,500-599" },
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
    fail_on_status: z
      .array(z.string().regex(/^[1-5]\d\d(-[1-5]\d\d)?$/))
      .min(1)
      .max(50)
      .check(({ value, issues }) => {
        for (const item of value) {
          const [from, to] = rangeOf(item);
          if (from > to) issues.push({ code: "custom", message: `has ${item}, which ends before it begins`, input: value });
        }
      })
      .optional()
      .meta({
        valid: "statuses and ranges of them, such as 404,500-599",
        description:
          "Statuses of the page, and ranges of them, for which there shall be the error `host_returned_error` instead of a picture.",
        examples: [["404", "500-599"]],
      }),
  }),
  beforeShot: async ({ fail_on_status }, { tab }) => {
    if (!fail_on_status) return;
    const status = await tab.evaluate(
      () => (performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming | undefined)?.responseStatus ?? 0,
    );
    const failing = fail_on_status.map(rangeOf).some(([from, to]) => from <= status && status <= to);
    if (!failing) return;
    const message = `The target answered with status ${statusWords(status)}.`;
    throw new AppError("host_returned_error", { message, retryable: mayPass(status) });
  },
});

/** `404 Not Found` */
function statusWords(status: number): string {
  return [status, STATUS_CODES[status]].filter(Boolean).join(" ");
}

/** Whether the target may answer better later (RFC 9110, 15; RFC 6585; RFC 8470). */
function mayPass(status: number): boolean {
  return [408, 425, 429].includes(status) || (status >= 500 && status !== 501);
}

function rangeOf(item: string): [from: number, to: number] {
  const [from = 0, to = from] = item.split("-").map(Number);
  return [from, to];
}

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
