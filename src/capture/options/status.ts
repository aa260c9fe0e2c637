/** HTTP statuses and verdicts that make the capture fail. */

import { z } from "zod";
import { documentFacts } from "../in-page/document-facts.ts";
import { optionGroup } from "../option-group.ts";
import { assertStatus, rangeOf, verdictKinds } from "../verdict/verdict.ts";

const unwantedKinds = z.enum(verdictKinds).exclude(["ok", "partial"]);

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
          if (from > to) issues.push({ code: "custom", message: `contains ${item}, which ends before it begins`, input: value });
        }
      })
      .optional()
      .meta({
        output: "image",
        valid: "statuses and ranges, such as 404,500-599",
        description: "HTTP statuses and ranges for which the request fails with `host_returned_error` instead of returning a screenshot.",
        examples: [["404", "500-599"]],
      }),
    fail_on_verdict: z
      .array(unwantedKinds)
      .min(1)
      .max(unwantedKinds.options.length)
      .optional()
      .meta({
        output: "image",
        description:
          "Verdicts for which the request fails with `unwanted_page`, at no cost, instead of returning a screenshot. Every screenshot has its verdict in `X-Verdict`.",
        examples: [["bot_wall", "login_wall"]],
      }),
  }),
  frame: async ({ fail_on_status }, { tab }) => {
    if (fail_on_status) assertStatus((await tab.evaluate(documentFacts)).status, fail_on_status);
  },
});
