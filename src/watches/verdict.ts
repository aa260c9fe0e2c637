/** Decides a run's outcome and its watch's new state. Pure. */

import type { Comparison } from "../comparison/comparison.ts";
import type { MutedRegion } from "./muted.ts";
import type { EndedRun } from "./run-records.ts";
import type { Watch } from "./watch-records.ts";

/** Result of the run's capture. */
export type CapturedShots = { screenshotId: string } | { error: { code: string; message: string } };

/** Comparison with the baseline, if there is one and its image still exists. */
export interface ComparedRun {
  comparison: Comparison;
  /** One hash per region, in order; none if nothing has changed. Regions that look the same have equal hashes. */
  hashes: string[];
  /** Whether the run differs from the last reported change; true if there is no such change, or the two were not compared. */
  differsFromReported: boolean;
}

export interface Decision {
  ended: EndedRun;
  change: Partial<Watch>;
  /** Regions to mute in later comparisons. */
  learned: (MutedRegion & { name: string })[];
}

/** Number of runs that a watch learns from; the first becomes the baseline. */
export const learningRuns = 3;
/** Maximum number of changed regions to remember. */
const seenMax = 500;

export function decide(watch: Watch, runId: string, captured: CapturedShots, compared: ComparedRun | undefined): Decision {
  if ("error" in captured)
    return {
      ended: { status: "failed", isReported: !watch.isFailing, isAccepted: false, error: captured.error },
      change: { isFailing: true },
      learned: [],
    };
  const isLearning = watch.learned < learningRuns;
  const succeeded = { isFailing: false, latestRunId: runId, learned: Math.min(watch.learned + 1, learningRuns) };
  const { screenshotId } = captured;
  if (!compared)
    return {
      ended: { status: isLearning ? "learning" : "unchanged", screenshotId, isReported: false, isAccepted: true },
      change: { ...succeeded, acceptedRunId: runId, reportedRunId: null, seen: [] },
      learned: [],
    };
  const { comparison, hashes, differsFromReported } = compared;
  const ended = { screenshotId, comparedWithId: watch.acceptedRunId ?? undefined, comparison, isReported: false, isAccepted: false };
  if (isLearning) return { ended: { ...ended, status: "learning" }, change: succeeded, learned: regionsToMute(comparison) };
  if (!comparison.isChanged) return { ended: { ...ended, status: "unchanged" }, change: succeeded, learned: [] };
  const unseen = hashes.filter((hash) => !watch.seen.includes(hash));
  const isReported = unseen.length > 0 && differsFromReported;
  return {
    ended: { ...ended, status: "changed", isReported },
    change: { ...succeeded, seen: [...watch.seen, ...unseen].slice(-seenMax), ...(isReported ? { reportedRunId: runId } : {}) },
    learned: [],
  };
}

/** A region that covers a larger share of the page isn't muted, because that would hide nearly every change. */
const learnedShareMax = 0.9;
/** Maximum length of a selector in bytes. Longer selectors, from deeply nested elements, may not fit in a database index. */
const selectorBytesMax = 1_024;

function regionsToMute({ regions, sizeAfter }: Comparison): (MutedRegion & { name: string })[] {
  return regions.flatMap(({ kind, selector: own, before, after, name }): (MutedRegion & { name: string })[] => {
    const selector = own !== null && Buffer.byteLength(own) <= selectorBytesMax ? own : null;
    const box = after ?? before;
    if (!box || box.width * box.height > learnedShareMax * sizeAfter.width * sizeAfter.height) return [];
    const region = selector === null ? { selector: null, box, name } : { selector, box: null, name };
    // Other content now occupies the region's old position.
    return kind === "moved" && before ? [region, { selector: null, box: before, name }] : [region];
  });
}
