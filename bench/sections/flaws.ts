/** Failures, for the report. */

import { type Answer, refusal } from "../measure/client.ts";

export interface Flawed {
  contender: string;
  page: string;
  flaws: string[];
}

/** Failures of responses whose images are not checked. */
export function failuresOf(contender: string, page: string, answers: Answer[]): Flawed {
  return { contender, page, flaws: answers.flatMap((answer) => refusal(answer) ?? []) };
}

/** "browserless, gallery: blank ×3", for each kind. */
export function flawsOf(flawed: Flawed[]): string[] {
  const all = flawed.flatMap(({ contender, page, flaws }) => flaws.map((message) => `${contender}, ${page}: ${message}`));
  return Object.entries(Object.groupBy(all, (flaw) => flaw)).map(([flaw, each = []]) => `${flaw} ×${each.length}`);
}
