/** Screenshots that are outputs of one capture. */

import type { HistoryEntry } from "../api/types.ts";

/** A list of at least one. */
export type Outputs = [HistoryEntry, ...HistoryEntry[]];

/** Newest first. The outputs of a capture are grouped at the position of its newest output, in the order in which they were requested. */
export function byCapture(screenshots: HistoryEntry[]): Outputs[] {
  const captures = Map.groupBy(screenshots, ({ id, capture_id }) => capture_id ?? id);
  return [...captures.values()].map((outputs) => outputs.toReversed() as Outputs);
}

/** The output that represents all of them: the first with a file. */
export const shownOf = (outputs: Outputs): HistoryEntry => outputs.find(({ image }) => image) ?? outputs[0];

/** "3 outputs: desktop, phone, words", or "Output: desktop" if there is only one; undefined for a screenshot that isn't a named output. */
export function namesOf(outputs: Outputs): string | undefined {
  const names = outputs.flatMap(({ output }) => output ?? []);
  if (names.length === 0) return undefined;
  return names.length === 1 ? `Output: ${names[0]}` : `${names.length} outputs: ${names.join(", ")}`;
}
