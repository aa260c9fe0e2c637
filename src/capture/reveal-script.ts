/** The script that tracks what a page reveals, assembled from functions that are serialized into the page. */

import { createAround, createMeasure, shareLeft } from "./in-page/painted.ts";
import { changedElements, createChanges, createTracker, recordLook } from "./in-page/reveal-tracker.ts";
import { areAlternating, commonArea, findTakenBack } from "./in-page/taken-back.ts";

const sourcesOf = (parts: Record<string, unknown>) =>
  Object.entries(parts)
    .map(([name, part]) => `${name}: ${part}`)
    .join(",\n");

/** Starts tracking the document, unless it is already tracked. */
export const revealScript = `() => {
  const own = globalThis.tintypeOwn;
  if (own.tracker) return;
  const tracker = (${createTracker})({ ${sourcesOf({ createMeasure, createAround, shareLeft, createChanges, changedElements, recordLook })} });
  const parts = { tracker, ${sourcesOf({ commonArea, areAlternating })} };
  own.tracker = tracker;
  own.findTakenBack = (hidden, hiding) => (${findTakenBack})(parts, hidden, hiding);
}`;
