/** Public representation of watches and runs. */

import type { z } from "zod";
import { type Links, linkLifetimeSeconds } from "../../storage/link.ts";
import { regionAnswer } from "../../watches/end-run.ts";
import type { FeedLinks } from "../../watches/feed-links.ts";
import type { Muted } from "../../watches/muted.ts";
import type { RecentRuns, Run } from "../../watches/run-records.ts";
import { learningRuns } from "../../watches/verdict.ts";
import type { Watch } from "../../watches/watch-records.ts";
import { answerFrom } from "../openapi/operation.ts";
import { runSchema, watchSchema } from "./schemas.ts";

export interface AnswerLinks {
  links: Links;
  feedLinks: FeedLinks;
  /** URL prefix of the links. */
  base: string;
}

export interface Described {
  watch: Watch;
  runs: RecentRuns | undefined;
  muted: Muted[];
}

const answerOfWatch = answerFrom(watchSchema);
const answerOfRun = answerFrom(runSchema);

export function watchAnswer(links: AnswerLinks, { watch: of, runs, muted }: Described): z.input<typeof watchSchema> {
  return answerOfWatch({
    ...of,
    ...of.schedule,
    state: of.nextRunAt === null ? "paused" : "active",
    compare: of.compareBy,
    phase: of.learned < learningRuns ? "learning" : "watching",
    status: statusOf(of, runs),
    latestRun: runs ? runAnswer(links, of.id, runs.latest) : null,
    lastScreenshot: imageAnswer(links, runs?.image ?? null),
    recent: runs?.recent ?? [],
    muted: muted.map(mutedAnswer),
    feedUrl: links.base + links.feedLinks.feed(of.id),
  });
}

function statusOf({ acceptedRunId }: Watch, runs: RecentRuns | undefined): z.input<typeof watchSchema>["status"] {
  const ended = runs?.recent.find(({ status }) => status !== "queued" && status !== "running");
  if (!ended || ended.status === "learning") return "new";
  if (ended.status === "changed" && ended.id === acceptedRunId) return "unchanged";
  return ended.status as "unchanged" | "changed" | "failed";
}

function mutedAnswer({ id, selector, box, isLearned, name, createdAt }: Muted): z.input<typeof watchSchema>["muted"][number] {
  const kind = selector === null ? "box" : "selector";
  return { id, kind, selector, box, by: isLearned ? "learned" : "user", name, created_at: createdAt };
}

function imageAnswer({ links, base }: AnswerLinks, image: Run["screenshot"]): z.input<typeof runSchema>["screenshot"] {
  if (!image) return null;
  const { id, width, height } = image;
  return { id, width, height, link: base + links.sign(id, "png", linkLifetimeSeconds) };
}

export function runAnswer(links: AnswerLinks, watchId: string, of: Run): z.input<typeof runSchema> {
  const { id, screenshot, regions, regionsTotal, errorCode, errorMessage } = of;
  return answerOfRun({
    ...of,
    captureId: of.isCaptured ? id : null,
    screenshot: imageAnswer(links, screenshot),
    comparedWithRunId: of.comparedWithId,
    regions: regions.map(regionAnswer),
    differenceLink: screenshot && regionsTotal > 0 ? links.base + links.feedLinks.difference(watchId, id) : null,
    reported: of.isReported,
    accepted: of.acceptedAt !== null,
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? "" },
  });
}
