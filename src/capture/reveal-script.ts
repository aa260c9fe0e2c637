/** The script that tracks what a page reveals, assembled from functions that are serialized into the page. */

import { findChangedBack } from "./in-page/changed-back.ts";
import { createOldClasses } from "./in-page/old-classes.ts";
import { createAround, createMeasure, shareLeft } from "./in-page/painted.ts";
import { createSeen, recordLook, recordState } from "./in-page/record-look.ts";
import { changedElements, createChanges, createTracker } from "./in-page/reveal-tracker.ts";
import { areAlternating, commonArea, findTakenBack, isTaken } from "./in-page/taken-back.ts";

const sourcesOf = (parts: Record<string, unknown>) =>
  Object.entries(parts)
    .map(([name, part]) => `${name}: ${part}`)
    .join(",\n");

const measuring = { createMeasure, createAround, shareLeft };
const changing = { createChanges, createOldClasses, changedElements };

/** Starts tracking the document, unless it is already tracked. */
export const revealScript = `() => {
  const own = globalThis.tintypeOwn;
  if (own.tracker) return;
  const tracker = (${createTracker})({ ${sourcesOf({ ...measuring, ...changing, createSeen, recordLook, recordState })} });
  const parts = { tracker, ${sourcesOf({ commonArea, areAlternating, isTaken })} };
  own.tracker = tracker;
  own.findTakenBack = (hidden, hiding) => (${findTakenBack})(parts, hidden, hiding);
  own.findChangedBack = () => (${findChangedBack})(parts);
}`;
