/** Waits until matching elements, such as a spinner, have disappeared. */

import { z } from "zod";
import { wrongParameter } from "../../shared/errors.ts";
import { findElement } from "../in-page/elements.ts";
import { waitUntil } from "../loading/wait-until.ts";
import { optionGroup } from "../option-group.ts";

export const waitForHidden = optionGroup({
  title: "Waiting for something to disappear",
  onlyIfSet: true,
  intro: "Elements that must disappear before the waits below begin.",
  example: { wait_for_hidden: ".spinner" },
  parameters: () => ({
    wait_for_hidden: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .meta({
        output: "load",
        description: "CSS selector of elements that must be hidden or removed before the capture: no matching element may be visible.",
        examples: [".spinner"],
      }),
  }),
  afterReady: async ({ wait_for_hidden: selector }, work) => {
    if (selector === undefined) return;
    work.waitsFor = `the elements that match wait_for_hidden=${selector} to be hidden`;
    await waitUntil(work, async () => {
      const found = await work.tab.evaluate(findElement, selector, {});
      if (found === "invalid")
        throw wrongParameter("wait_for_hidden", `is ${JSON.stringify(selector)}, which is not a CSS selector`, "a CSS selector");
      return !found;
    });
    work.recorder?.step("no visible element matched wait_for_hidden");
  },
});
