/** Public representation of watches and runs. */

import type { z } from "zod";
import type { Links } from "../../storage/link.ts";
import { linkLifetimeSeconds } from "../../storage/link.ts";
import { regionAnswer } from "../../watches/end-run.ts";
import type { FeedLinks } from "../../watches/feed-links.ts";
import type { Muted } from "../../watches/muted.ts";
import type { RecentRuns, Run } from "../../watches/run-records.ts";
import { learningRuns } from "../../watches/verdict.ts";
import type { Watch } from "../../watches/watch-records.ts";
import type { runSchema, watchSchema } from "./schemas.ts";

export interface AnswerLinks {
  links: Links;
  feedLinks: FeedLinks;
  /** Scheme and host of the links. */
  base: string;
}

export interface Described {
  watch: Watch;
  runs: RecentRuns | undefined;
  muted: Muted[];
}

export function watchAnswer(links: AnswerLinks, { watch: of, runs, muted }: Described): z.input<typeof watchSchema> {
  const { id, name, url, schedule, compareBy, threshold, ignoreSelectors, webhookUrl, options, nextRunAt, createdAt } = of;
  return {
    id,
    name,
    url,
    state: nextRunAt === null ? "paused" : "active",
    every: schedule.every,
    cron: schedule.cron,
    time_zone: schedule.timeZone,
    compare: compareBy,
    threshold,
    ignore_selectors: ignoreSelectors,
    webhook_url: webhookUrl,
    options,
    phase: of.learned < learningRuns ? "learning" : "watching",
    status: statusOf(of, runs),
    accepted_run_id: of.acceptedRunId,
    latest_run: runs ? runAnswer(links, of.id, runs.latest) : null,
    last_screenshot: imageAnswer(links, runs?.image ?? null),
    recent: (runs?.recent ?? []).map(({ id, status, at }) => ({ id, status, at: at.toISOString() })),
    muted: muted.map(mutedAnswer),
    feed_url: links.base + links.feedLinks.feed(id),
    next_run_at: nextRunAt?.toISOString() ?? null,
    created_at: createdAt.toISOString(),
  };
}

function statusOf({ acceptedRunId }: Watch, runs: RecentRuns | undefined): z.input<typeof watchSchema>["status"] {
  const ended = runs?.recent.find(({ status }) => status !== "queued" && status !== "running");
  if (!ended || ended.status === "learning") return "new";
  if (ended.status === "changed" && ended.id === acceptedRunId) return "unchanged";
  return ended.status as "unchanged" | "changed" | "failed";
}

function mutedAnswer({ id, selector, box, isLearned, name, createdAt }: Muted): z.input<typeof watchSchema>["muted"][number] {
  const kind = selector === null ? "box" : "selector";
  return { id, kind, selector, box, by: isLearned ? "learned" : "user", name, created_at: createdAt.toISOString() };
}

function imageAnswer({ links, base }: AnswerLinks, image: Run["screenshot"]): z.input<typeof runSchema>["screenshot"] {
  return image && { ...image, link: base + links.sign(image.id, "png", linkLifetimeSeconds) };
}

export function runAnswer(links: AnswerLinks, watchId: string, of: Run): z.input<typeof runSchema> {
  const { id, status, screenshot, regions, regionsTotal, errorCode, errorMessage, createdAt, endedAt } = of;
  return {
    id,
    status,
    created_at: createdAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
    capture_id: of.isCaptured ? id : null,
    screenshot: imageAnswer(links, screenshot),
    compared_with_run_id: of.comparedWithId,
    changed_share: of.changedShare,
    regions: regions.map(regionAnswer),
    regions_total: regionsTotal,
    difference_link: screenshot && regionsTotal > 0 ? links.base + links.feedLinks.difference(watchId, id) : null,
    reported: of.isReported,
    accepted: of.acceptedAt !== null,
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? "" },
  };
}
