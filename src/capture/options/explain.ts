/** Reports what happened during a capture. */

import { z } from "zod";
import { optionGroup } from "../option-group.ts";

export const explain = optionGroup({
  title: "Explanation",
  onlyIfSet: true,
  intro: "Find out why a screenshot looks the way it does.",
  example: { explain: "true", response_type: "json" },
  parameters: () => ({
    explain: z.boolean().default(false).meta({
      identity: false,
      output: "none",
      description:
        "Record the steps of the capture, the page's redirects and requests, what was blocked and why, refused connections, and the page's errors and warnings. The record is returned as `explanation` in the JSON of `response_type=json` and of errors, and shown on the screenshot's page in the dashboard. Cached screenshots have no explanation. Credentials are removed as for `format=har`.",
    }),
  }),
  beforeNavigation: (_options, { recorder, tab }) => recorder?.follow(tab),
});
