/** Disables a page's scripts. */

import { z } from "zod";
import { documentFacts } from "../in-page/document-facts.ts";
import { optionGroup } from "../option-group.ts";

export const javascript = optionGroup({
  title: "JavaScript",
  onlyIfSet: true,
  intro: "Whether the page's scripts run.",
  example: { javascript: "false" },
  parameters: () => ({
    javascript: z.boolean().default(true).meta({
      output: "load",
      description:
        "Run the page's scripts. `false` shows the page as browsers without JavaScript do, including the content of `<noscript>`.",
    }),
  }),
  beforeNavigation: (_, { tab }) => tab.send("Emulation.setScriptExecutionDisabled", { value: true }),
  // Disabling scripts also disables timers, which the capture's own scripts need, so scripts are enabled again once the page has loaded.
  // Scripts that were skipped during loading don't run later.
  afterNavigation: async (_, { tab }) => {
    if (!(await tab.evaluate(documentFacts)).isLoading) await tab.send("Emulation.setScriptExecutionDisabled", { value: false });
  },
});
