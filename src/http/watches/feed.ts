/** Serves a watch's feed, and the images in the feed, at signed URLs. */

import { comparisonPermits } from "../../comparison/compare.ts";
import type { Database } from "../../database/database.ts";
import type { Config } from "../../settings/config.ts";
import { createSingleFlight } from "../../shared/coalesce.ts";
import { AppError } from "../../shared/errors.ts";
import { escapeMarkup } from "../../shared/escape-markup.ts";
import { objectKey } from "../../storage/link.ts";
import { readWhole } from "../../storage/read-stored.ts";
import type { ImageStore } from "../../storage/store.ts";
import type { FeedLinks } from "../../watches/feed-links.ts";
import { findComparison, findRun, listRuns, type Run } from "../../watches/run-records.ts";
import { findWatch, type Watch } from "../../watches/watch-records.ts";
import type { LinkBase } from "../input/link-base.ts";
import { setContent } from "../screenshots/answer.ts";
import type { Routes } from "../server/operation-routes.ts";
import { followDisconnection } from "../server/requests.ts";
import { runDifference, watchFeed } from "./operations.ts";

interface FeedParts {
  config: Pick<Config, "WEB_PUBLIC_URL">;
  database: Database;
  store: ImageStore;
  feedLinks: FeedLinks;
  linkBase: LinkBase;
}

const entriesMax = 30;
/** Allows for a feed reader that requests the images of all entries concurrently. */
const accountWaitingMax = 2 * entriesMax;

export function feedRoutes({ publicRoute }: Routes, { config, database, store, feedLinks, linkBase }: FeedParts): void {
  publicRoute(watchFeed, async ({ params: { id }, query, request, reply }) => {
    if (!feedLinks.verify(query.signature, id)) throw new AppError("signature_invalid");
    const watch = await findWatch(database, id);
    const runs = await listRuns(database, id, { limit: entriesMax, reported: true });
    const base = linkBase(request);
    const home = `${config.WEB_PUBLIC_URL.replace(/(?<!\/)\/+$/, "")}/watches/${id}`;
    const entries = runs.map((run) => ({
      run,
      link: `${home}/runs/${run.id}`,
      image: run.screenshot && run.regionsTotal > 0 ? base + feedLinks.difference(id, run.id) : null,
    }));
    reply.type("application/atom+xml; charset=utf-8").header("cache-control", "private, max-age=60");
    return await reply.send(atomOf(watch, entries, { self: base + feedLinks.feed(id), home }));
  });

  const drawings = createSingleFlight<Buffer>();
  publicRoute(runDifference, async ({ params: { id, run_id: runId }, query, reply }) => {
    if (!feedLinks.verify(query.signature, id, runId)) throw new AppError("signature_invalid");
    const { userId } = await findWatch(database, id);
    const run = await findRun(database, id, runId);
    const comparison = await findComparison(database, id, runId);
    if (!run?.screenshot || !comparison || comparison.regions.length === 0) throw new AppError("not_found");
    const { id: imageId, bytes } = run.screenshot;
    const draw = async (signal: AbortSignal) => {
      signal.throwIfAborted();
      const image = await readWhole(store, objectKey(imageId, "png"), signal, { bytes }).catch((cause) => {
        signal.throwIfAborted();
        throw new AppError("unavailable", { retryAfterSeconds: 5, cause });
      });
      if (!image) throw new AppError("not_found");
      const { drawDifference } = await import("../../comparison/draw-difference.ts");
      return await drawDifference(image, comparison);
    };
    const drawOnce = (signal: AbortSignal) => comparisonPermits.run(userId, () => draw(signal), { signal, accountWaitingMax });
    const { value: image } = await drawings.join(runId, followDisconnection(reply), drawOnce);
    reply.header("cache-control", "private, max-age=3600, immutable");
    return await setContent(reply, "png", image.length).send(image);
  });
}

export interface FeedEntry {
  run: Run;
  /** URL of the run in the dashboard. */
  link: string;
  /** URL of the image with the changed regions marked; null if there is none. */
  image: string | null;
}

/** @param self URL of the feed. @param home URL of the watch in the dashboard. */
function atomOf({ id, name, url, createdAt }: Watch, entries: FeedEntry[], { self, home }: { self: string; home: string }): string {
  const updated = entries[0]?.run.endedAt ?? createdAt;
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>urn:uuid:${id}</id>`,
    `<title>${escapeMarkup(name)}</title>`,
    `<subtitle>${escapeMarkup(url)}</subtitle>`,
    `<updated>${updated.toISOString()}</updated>`,
    "<author><name>Tintype</name></author>",
    `<link rel="self" type="application/atom+xml" href="${escapeMarkup(self)}"/>`,
    `<link rel="alternate" type="text/html" href="${escapeMarkup(home)}"/>`,
    ...entries.map((entry) => entryOf(entry, url)),
    "</feed>",
    "",
  ].join("\n");
}

function entryOf({ run, link, image }: FeedEntry, url: string): string {
  const at = (run.endedAt ?? run.createdAt).toISOString();
  const more = run.regionsTotal > run.regions.length ? [`and ${run.regionsTotal - run.regions.length} more`] : [];
  const lines = run.errorMessage === null ? [...run.regions.map(({ name }) => name), ...more] : [run.errorMessage];
  const [first = "The page has changed"] = lines;
  const title = run.errorMessage === null ? first : `Failed: ${first}`;
  const picture = image === null ? "" : `<p><img src="${escapeMarkup(image)}" alt="What has changed"/></p>`;
  const html = `<ul>${lines.map((line) => `<li>${escapeMarkup(line)}</li>`).join("")}</ul>${picture}<p><a href="${escapeMarkup(url)}">${escapeMarkup(url)}</a></p>`;
  return [
    "<entry>",
    `<id>urn:uuid:${run.id}</id>`,
    `<title>${escapeMarkup(title)}</title>`,
    `<updated>${at}</updated>`,
    `<link rel="alternate" type="text/html" href="${escapeMarkup(link)}"/>`,
    `<content type="html">${escapeMarkup(html)}</content>`,
    "</entry>",
  ].join("\n");
}
