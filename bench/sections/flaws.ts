/** What went wrong, in words for the report. */

import { type Answer, refusal } from "../measure/client.ts";

export interface Flawed {
  contender: string;
  page: string;
  flaws: string[];
}

/** Of answers whose pictures nobody looks at. */
export function failuresOf(contender: string, page: string, answers: Answer[]): Flawed {
  return { contender, page, flaws: answers.flatMap((answer) => refusal(answer) ?? []) };
}

/** "browserless, gallery: blank ×3", for each kind. */
export function flawsOf(flawed: Flawed[]): string[] {
  const all = flawed.flatMap(({ contender, page, flaws }) => flaws.map((words) => `${contender}, ${page}: ${words}`));
  return Object.entries(Object.groupBy(all, (words) => words)).map(([words, each = []]) => `${words} ×${each.length}`);
}
