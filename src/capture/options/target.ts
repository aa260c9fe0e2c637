/** The page to capture. */

import { optionGroup } from "../option-group.ts";
import { pageUrl } from "../parameter-types.ts";

export const target = optionGroup({
  title: "Target",
  intro:
    "The page to capture. Besides `api_key`, `url` is the only required parameter; [`html` and `markdown`](#content) replace it. Pages with an HTTP error status are captured as well; `X-Target-Status` reports the status.",
  parameters: () => ({
    url: pageUrl()
      .optional()
      .meta({
        output: "shared",
        description: "Absolute http or https URL of the page. Percent-encode it, like any value in a query string.",
        examples: ["https://example.com/"],
      }),
  }),
});
