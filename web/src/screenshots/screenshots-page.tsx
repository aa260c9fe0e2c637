/** The gallery of the account's screenshots, newest first. */

import { useSuspenseInfiniteQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { keysQuery, type ScreenshotFilter, screenshotsQuery } from "../api/queries.ts";
import type { Search } from "../search.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { textOf } from "../ui/form.tsx";
import { Page } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { ScreenshotCard } from "./screenshot-card.tsx";
import { verdictNames } from "./verdict.tsx";

const names = ["status", "key_id", "url", "format", "verdict", "since", "until"] as const;

/** The filters in a query string; other names are dropped. */
export function readFilter(search: Search): ScreenshotFilter {
  return Object.fromEntries(names.flatMap((name) => (typeof search[name] === "string" ? [[name, search[name]]] : [])));
}

export function ScreenshotsPage() {
  const filter = useSearch({ from: "/account/screenshots" });
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useSuspenseInfiniteQuery(screenshotsQuery(filter));
  const screenshots = data.pages.flatMap((page) => page.screenshots);
  const filtered = Object.keys(filter).length > 0;
  return (
    <Page title="Screenshots" about="All screenshots of your account. They are deleted after your plan's retention period.">
      {(filtered || screenshots.length > 0) && <Filters filter={filter} />}
      {screenshots.length === 0 && filtered && (
        <Empty title="No matches" action={<ButtonLink to="/screenshots">Show all</ButtonLink>}>
          No screenshots match these filters.
        </Empty>
      )}
      {screenshots.length === 0 && !filtered && (
        <Empty
          title="No screenshots yet"
          action={
            <ButtonLink to="/playground" look="primary">
              Take a screenshot
            </ButtonLink>
          }
        >
          Screenshots taken in the playground or with your API keys appear here.
        </Empty>
      )}
      <ul className="grid gap-6 sm:grid-cols-2 xl:grid-cols-3">
        {screenshots.map((screenshot) => (
          <ScreenshotCard key={screenshot.id} screenshot={screenshot} />
        ))}
      </ul>
      {hasNextPage && (
        <Button className="justify-self-center" pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </Page>
  );
}

function Filters({ filter }: { filter: ScreenshotFilter }) {
  const navigate = useNavigate({ from: "/screenshots" });
  const keys = useSuspenseQuery(keysQuery).data;
  const set = (name: (typeof names)[number], value: string) =>
    void navigate({ search: (before) => ({ ...before, [name]: value || undefined }), replace: true, resetScroll: false });
  return (
    <form
      aria-label="Filters"
      className="grid grid-cols-2 gap-4 *:min-w-0 *:first:col-span-2 lg:grid-cols-[2fr_repeat(5,1fr)] lg:*:first:col-span-1"
      onSubmit={(event) => {
        event.preventDefault();
        set("url", textOf(new FormData(event.currentTarget), "url"));
      }}
    >
      <TextField
        key={filter.url}
        label="URL contains"
        name="url"
        type="search"
        defaultValue={filter.url}
        placeholder="example.com"
        onBlur={(event) => event.target.value !== (filter.url ?? "") && set("url", event.target.value)}
      />
      <SelectField label="Status" name="status" value={filter.status ?? ""} onChange={(event) => set("status", event.target.value)}>
        <option value="">All</option>
        <option value="done">Captured</option>
        <option value="failed">Failed</option>
        <option value="pending">Pending</option>
      </SelectField>
      <SelectField label="Taken with" name="key_id" value={filter.key_id ?? ""} onChange={(event) => set("key_id", event.target.value)}>
        <option value="">All</option>
        <option value="playground">Playground</option>
        {keys.map(({ id, name, hint }) => (
          <option key={id} value={id}>
            {name} ({hint})
          </option>
        ))}
      </SelectField>
      <SelectField label="Shows" name="verdict" value={filter.verdict ?? ""} onChange={(event) => set("verdict", event.target.value)}>
        <option value="">All</option>
        <option value="ok">The page</option>
        {Object.entries(verdictNames).map(([verdict, name]) => (
          <option key={verdict} value={verdict}>
            {name}
          </option>
        ))}
        <option value="unknown">Unknown</option>
      </SelectField>
      <TextField
        label="From"
        name="since"
        type="date"
        value={filter.since ?? ""}
        max={filter.until}
        onChange={(event) => set("since", event.target.value)}
      />
      <TextField
        label="To"
        name="until"
        type="date"
        value={filter.until ?? ""}
        min={filter.since}
        onChange={(event) => set("until", event.target.value)}
      />
    </form>
  );
}
