/** Interactions with the page before it is captured: clicks, typing, keys. */

import { z } from "zod";
import { fetchTripwire } from "../loading/fetches.ts";
import { optionGroup } from "../option-group.ts";
import { runStep, type Step, stepProblem } from "../steps.ts";

/** With `clock`, page time that runs after each step, so that it takes effect. */
const effectsMs = 2_000;
const stepsMax = 30;

export const steps = optionGroup({
  title: "Steps",
  onlyIfSet: true,
  intro: "Actions to perform on the page, as a user would, before it is captured.",
  example: { steps: '[{"type": "#search", "text": "chairs"}, {"press": "Enter"}, {"wait": "#results"}, {"hover": "#results li"}]' },
  notes: [
    "| step | action |",
    "| --- | --- |",
    '| `{"click": "#menu"}` | clicks the element |',
    '| `{"hover": "#menu"}` | moves the mouse over the element and leaves it there |',
    '| `{"type": "#search", "text": "chairs"}` | clicks the field and types the text |',
    '| `{"press": "Enter"}` | presses a key: Enter, Tab, Escape, Backspace, Space, PageUp, PageDown, Home, End or an arrow key, such as `ArrowDown` |',
    '| `{"scroll": "#prices"}` | scrolls to the element; with a number, scrolls by that many pixels |',
    '| `{"wait": "#results"}` | waits until the element is visible; with a number, waits for that many seconds |',
    "",
    "Steps run once the page is ready, after `styles`, `scripts` and `click`; then the capture waits for the page again. A [recording](motion.md#steps) shows the steps being performed. The texts that steps type are never stored or logged, but they are part of the capture if the page shows them or `har` records them. Once something has been typed into a password field, errors and explanations don't quote the page, as with masks, and the final URL is returned and stored without its query and fragment. Within an hour, at most 30 of an account's captures of one site, and 120 in total, may fail after their steps have typed; after that, captures that type are refused with `rate_limited`.",
  ].join("\n"),
  parameters: () => ({
    steps: z
      .array(z.record(z.string(), z.union([z.string().max(4096), z.number()])))
      .max(stepsMax)
      .check(({ value, issues }) => {
        const problem = value.map(stepProblem).find((one) => one !== undefined);
        if (problem) issues.push({ code: "custom", message: problem, input: "" });
      })
      .optional()
      .meta({
        output: "load",
        sharesLoad: "page",
        secret: true,
        valid: `a JSON array of up to ${stepsMax} steps, such as [{"click": "#menu"}]`,
        description:
          "Steps to perform, in order. The capture fails if an element to act on isn't visible within 3 seconds; `wait` waits for its element until `timeout`.",
        examples: [[{ type: "#search", text: "chairs" }, { press: "Enter" }]],
      }),
  }),
  requests: () => fetchTripwire,
  beforeNavigation: (_, { readiness }) => {
    readiness.followFetches();
    return undefined;
  },
  edit: async ({ steps: all = [] }, work) => {
    if (work.shot.motion) return; // the recording performs them
    await work.readiness.reportFetches();
    for (const step of all) {
      await runStep(work, step as Step);
      await work.readiness.clock()?.run(effectsMs);
    }
    work.readiness.invalidate();
  },
});
