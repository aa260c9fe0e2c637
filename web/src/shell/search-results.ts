/** What the search finds: pages, keys by name, watches by name and URL, screenshots by URL. */

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import type { LinkProps } from "@tanstack/react-router";
import { accountQuery, keysQuery } from "../api/queries.ts";
import { foundScreenshotsQuery } from "../api/screenshot-queries.ts";
import { searchedWatchesQuery } from "../api/watch-queries.ts";
import { shortAddress } from "../screenshots/address.ts";
import { isImage } from "../screenshots/formats.ts";
import { useDebounced } from "../ui/debounced.ts";
import type { IconName } from "../ui/icon.tsx";
import { pageGroups } from "./pages.ts";

export interface SearchResult {
  id: string;
  text: string;
  about: string;
  icon: IconName;
  link: LinkProps;
}

const urlLengthMin = 2;

export function useSearchResults(query: string): SearchResult[] {
  const { user } = useSuspenseQuery(accountQuery).data;
  const text = query.trim().toLowerCase();
  const url = useDebounced(text);
  const keys = useQuery(keysQuery).data ?? [];
  const watches = useQuery(searchedWatchesQuery).data ?? [];
  const screenshots = useQuery({ ...foundScreenshotsQuery(url), enabled: url.length >= urlLengthMin }).data ?? [];
  const pages = pageGroups(user.role).flatMap((group) => group.pages);
  const matches = (name: string) => name.toLowerCase().includes(text);
  return [
    ...pages.filter(({ name }) => matches(name)).map(({ to, name, icon }) => ({ id: to, text: name, about: "Page", icon, link: { to } })),
    ...keys
      .filter(({ name, hint }) => text !== "" && (matches(name) || matches(hint)))
      .map(({ id, name, hint }) => ({ id, text: name, about: hint, icon: "keys" as const, link: { to: "/keys/$id", params: { id } } })),
    ...watches
      .filter(({ name, url: address }) => text !== "" && (matches(name) || matches(address)))
      .map(({ id, name, url: address }) => ({
        id,
        text: name,
        about: `Watch of ${shortAddress(address)}`,
        icon: "watches" as const,
        link: { to: "/watches/$id", params: { id } },
      })),
    ...(text.length < urlLengthMin ? [] : screenshots).map(({ id, url: address, title, format }) => ({
      id,
      text: title ?? shortAddress(address),
      about: title === null ? "Screenshot" : shortAddress(address),
      icon: format && !isImage(format) ? ("document" as const) : ("image" as const),
      link: { to: "/screenshots/$id", params: { id } },
    })),
  ] as SearchResult[];
}
