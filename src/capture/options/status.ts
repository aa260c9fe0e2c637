/** Which HTTP statuses and verdicts of the page fail the capture. */

import { STATUS_CODES } from "node:http";
import { z } from "zod";
import { AppError } from "../../errors.ts";
import { documentFacts } from "../in-page/document-facts.ts";
import { optionGroup } from "../option-group.ts";
import { verdictKinds } from "../verdict/verdict.ts";

export const status = optionGroup({
  title: "Status and verdict",
  onlyIfSet: true,
  intro: "By default, pages with an HTTP error status, walls and placeholders are captured like any other page.",
  example: { fail_on_status: "404,500-599" },
  parameters: () => ({
    fail_on_status: z
      .array(z.string().regex(/^[1-5]\d\d(-[1-5]\d\d)?$/))
      .min(1)
      .max(50)
      .check(({ value, issues }) => {
        for (const item of value) {
          const [from, to] = rangeOf(item);
          if (from > to) issues.push({ code: "custom", message: `contains ${item}, whose end is before its start`, input: value });
        }
      })
      .optional()
      .meta({
        valid: "statuses and ranges, such as 404,500-599",
        description: "HTTP statuses and ranges for which the request fails with `host_returned_error` instead of returning a screenshot.",
        examples: [["404", "500-599"]],
      }),
    fail_on_verdict: z
      .array(z.enum(verdictKinds).exclude(["ok"]))
      .min(1)
      .optional()
      .meta({
        description:
          "Verdicts for which the request fails with `unwanted_page`, at no cost, instead of returning a screenshot. Every screenshot has its verdict in `X-Verdict`.",
        examples: [["bot_wall", "login_wall"]],
      }),
  }),
  frame: async ({ fail_on_status }, { tab }) => {
    if (!fail_on_status) return;
    const { status } = await tab.evaluate(documentFacts);
    const failing = fail_on_status.map(rangeOf).some(([from, to]) => from <= status && status <= to);
    if (!failing) return;
    const message = `The target returned status ${statusText(status)}.`;
    throw new AppError("host_returned_error", { message, retryable: isTemporary(status) });
  },
});

/** `404 Not Found` */
function statusText(status: number): string {
  return [status, STATUS_CODES[status]].filter(Boolean).join(" ");
}

/** Whether the status is temporary (RFC 9110, 15; RFC 6585; RFC 8470). */
function isTemporary(status: number): boolean {
  return [408, 425, 429].includes(status) || (status >= 500 && status !== 501);
}

function rangeOf(item: string): [from: number, to: number] {
  const [from = 0, to = from] = item.split("-").map(Number);
  return [from, to];
}
