/** Text, console errors and failed requests that make the capture fail. */

import { z } from "zod";
import { optionGroup } from "../option-group.ts";
import { lines } from "../parameter-types.ts";
import { assertReasons, followFailedRequests, requestProblem, textProblem } from "../reasons.ts";

const charactersMax = 2_000;

export const reasons = optionGroup({
  title: "Reasons to fail",
  onlyIfSet: true,
  intro:
    "Fails the request with `unwanted_page`, at no cost, if the page isn't as expected. The error quotes what was found. In a watch, such a run counts as a failure, not as a change.",
  example: { fail_on_text: "/out of (order|stock)/i", fail_on_console_error: "true" },
  notes: [
    "- Texts are searched for in the first 100,000 characters of the page's visible text, including open shadow roots and same-origin frames. In plain texts, any run of whitespace counts as one space.",
    "- `/…/` is a regular expression; `/…/i` ignores case. `^` and `$` match at the start and end of each line. Look-arounds and backreferences aren't supported, so that every search takes linear time.",
    "- With masks, and after steps have typed into a password field, the error repeats the text or pattern from the request instead of quoting the page, and doesn't quote console messages.",
  ].join("\n"),
  parameters: () => ({
    fail_on_text: lines(charactersMax, textProblem).meta({
      output: "image",
      description: "Texts or regular expressions, one per line: the capture fails if the page contains any of them.",
      examples: [["Out of stock", "/error \\d+/i"]],
    }),
    fail_without_text: lines(charactersMax, textProblem).meta({
      output: "image",
      description: "Texts or regular expressions, one per line: the capture fails unless the page contains all of them.",
      examples: [["Add to basket"]],
    }),
    fail_on_console_error: z.boolean().default(false).meta({
      output: "image",
      description: "Fail if the page's console contains errors, including uncaught exceptions.",
    }),
    fail_on_failed_request: lines(charactersMax, requestProblem).meta({
      output: "load",
      description:
        "Fail if one of the page's requests fails: one URL pattern per line, as for `block_requests`, or `*` for any request. A pattern may be followed by a space and the failures that count, separated by commas: statuses or ranges, such as `500-599`, and `failed` for requests without a response. The default is `400-599,failed`. Requests canceled by the page or blocked by an option don't count.",
      examples: [["*/api/*"]],
    }),
  }),
  beforeNavigation: async ({ fail_on_failed_request: patterns = [] }, work) => {
    if (patterns.length > 0) work.failedRequests = await followFailedRequests(work, patterns);
  },
  judge: (options, work) => assertReasons(work, options),
});
