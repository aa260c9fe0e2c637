/**
 * What the search finds: pages, keys, watches, batches and sessions by their names and URLs among the newest of each, and screenshots by URL
 * and title.
 */

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import type { LinkProps } from "@tanstack/react-router";
import { searchedBatchesQuery } from "../api/batch-queries.ts";
import { searchedSessionsQuery } from "../api/page-session-queries.ts";
import { accountQuery, keysQuery } from "../api/queries.ts";
import { foundScreenshotsQuery } from "../api/screenshot-queries.ts";
import type { AccountBatch, HistoryEntry, Key, PageSession, Watch } from "../api/types.ts";
import { searchedWatchesQuery } from "../api/watch-queries.ts";
import { titleOf } from "../batches/words.ts";
import { shortAddress } from "../screenshots/address.ts";
import { isPicture } from "../screenshots/formats.ts";
import { useDebounced } from "../ui/debounced.ts";
import { timeOf } from "../ui/format.ts";
import type { IconName } from "../ui/icon.tsx";
import { pageGroups } from "./pages.ts";

export interface SearchResult {
  id: string;
  text: string;
  about: string;
  icon: IconName;
  link: LinkProps;
}

const textLengthMin = 2;
/** Of batches and sessions, whose names are often alike: the screenshots come after them. */
const eachMax = 6;

export function useSearchResults(query: string): SearchResult[] {
  const { user } = useSuspenseQuery(accountQuery).data;
  const text = query.trim().toLowerCase();
  const debounced = useDebounced(text);
  const keys = useQuery(keysQuery).data ?? [];
  const watches = useQuery(searchedWatchesQuery).data ?? [];
  const batches = useQuery(searchedBatchesQuery).data ?? [];
  const sessions = useQuery(searchedSessionsQuery).data ?? [];
  const screenshots = useQuery({ ...foundScreenshotsQuery(debounced), enabled: debounced.length >= textLengthMin }).data ?? [];
  const pages = pageGroups(user.role).flatMap((group) => group.pages);
  const matches = (...names: string[]) => names.some((name) => name.toLowerCase().includes(text));
  const found = <T>(items: T[], namesOf: (item: T) => string[], result: (item: T) => SearchResult) =>
    text === "" ? [] : items.filter((item) => matches(...namesOf(item))).map(result);
  return [
    ...pages.filter(({ name }) => matches(name)).map(({ to, name, icon }) => ({ id: to, text: name, about: "Page", icon, link: { to } })),
    ...found(keys, ({ name, hint }) => [name, hint], keyResult),
    ...found(watches, ({ name, url }) => [name, url], watchResult),
    ...found(batches, ({ names }) => names, batchResult).slice(0, eachMax),
    ...found(sessions, ({ name, hosts }) => [name, ...hosts], sessionResult).slice(0, eachMax),
    ...(text.length < textLengthMin ? [] : screenshots).map(screenshotResult),
  ];
}

const keyResult = ({ id, name, hint }: Key): SearchResult => ({
  id,
  text: name,
  about: hint,
  icon: "keys",
  link: { to: "/keys/$id", params: { id } } as LinkProps,
});

const watchResult = ({ id, name, url }: Watch): SearchResult => ({
  id,
  text: name,
  about: `Watch of ${shortAddress(url)}`,
  icon: "watches",
  link: { to: "/watches/$id", params: { id } } as LinkProps,
});

const batchResult = (batch: AccountBatch): SearchResult => ({
  id: batch.id,
  text: titleOf(batch),
  about: `Batch of ${timeOf(batch.created_at)}`,
  icon: "batches",
  link: { to: "/batches/$id", params: { id: batch.id } } as LinkProps,
});

const sessionResult = ({ id, name, hosts }: PageSession): SearchResult => ({
  id,
  text: name,
  about: `Session for ${hosts[0] ?? "no host"}`,
  icon: "session",
  link: { to: "/sessions" },
});

const screenshotResult = ({ id, url, title, format }: HistoryEntry): SearchResult => ({
  id,
  text: title ?? shortAddress(url),
  about: title === null ? "Screenshot" : shortAddress(url),
  icon: format && !isPicture(format) ? "document" : "image",
  link: { to: "/screenshots/$id", params: { id } } as LinkProps,
});
