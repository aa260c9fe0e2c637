/** Which statuses of the page are an error. */

import { STATUS_CODES } from "node:http";
import { z } from "zod";
import { AppError } from "../../errors.ts";
import { documentFacts } from "../in-page/document-facts.ts";
import { optionGroup } from "../option-group.ts";

export const status = optionGroup({
  title: "Status",
  intro: "A page that answers with an error status is captured like any other, unless the request asks for an error instead.",
  example: { fail_on_status: "404,500-599" },
  parameters: () => ({
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
          "Statuses of the page, and ranges of them, for which the answer is the error `host_returned_error` instead of an image.",
        examples: [["404", "500-599"]],
      }),
  }),
  frame: async ({ fail_on_status }, { tab }) => {
    if (!fail_on_status) return;
    const { status } = await tab.evaluate(documentFacts);
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
