/** Formats the reported runs of a watch as an Atom feed (RFC 4287). Pure. */

import { escapeMarkup } from "../../shared/escape-markup.ts";
import type { Run } from "../../watches/run-records.ts";
import type { Watch } from "../../watches/watch-records.ts";

export interface FeedEntry {
  run: Run;
  /** URL of the run in the dashboard. */
  link: string;
  /** URL of the image with the changed regions marked; null if there is none. */
  image: string | null;
}

/** @param self URL of the feed. @param home URL of the watch in the dashboard. */
export function atomOf({ id, name, url, createdAt }: Watch, entries: FeedEntry[], { self, home }: { self: string; home: string }): string {
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
