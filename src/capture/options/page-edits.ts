/** What is changed in the page itself. */

import { z } from "zod";
import { optionGroup } from "../option-group.ts";

export const pageEdits = optionGroup({
  title: "Page edits",
  intro: "What is changed in the page itself before its picture is taken.",
  example: { bypass_csp: "true" },
  parameters: () => ({
    bypass_csp: z
      .boolean()
      .default(false)
      .meta({ description: "Ignore the page's Content-Security-Policy. Every use is logged by the server." }),
  }),
  beforeNavigation: ({ bypass_csp }, { tab }) => (bypass_csp ? tab.send("Page.setBypassCSP", { enabled: true }) : undefined),
});
