/** The account's screenshots, newest first: as a grid or a list, with filters, and with deletion of several at once. */

import { useSuspenseInfiniteQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { screenshotCountQuery, screenshotsQuery } from "../api/screenshot-queries.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Empty, ExampleScreenshots } from "../ui/empty.tsx";
import { Segmented } from "../ui/form/segmented.tsx";
import { count, timeOf } from "../ui/format.ts";
import { Page } from "../ui/page.tsx";
import { ShowMore } from "../ui/show-more.tsx";
import { byCapture } from "./captures.ts";
import { readFilter } from "./filter.ts";
import { Filters } from "./filters.tsx";
import { ScreenshotCard } from "./screenshot-card.tsx";
import { ScreenshotTable } from "./screenshot-table.tsx";
import { SelectionBar } from "./selection-bar.tsx";

export function ScreenshotsPage() {
  const search = useSearch({ from: "/account/screenshots" });
  const filter = readFilter(search);
  const list = useSuspenseInfiniteQuery(screenshotsQuery(filter));
  const screenshots = list.data.pages.flatMap((page) => page.screenshots);
  const searchedTo = list.data.pages.at(-1)?.searched_to ?? null;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const selection = {
    has: (id: string) => chosen.has(id),
    toggle: (ids: string[]) =>
      setChosen((before) => {
        const others = [...before].filter((id) => !ids.includes(id));
        return new Set(ids.every((id) => before.has(id)) ? others : [...others, ...ids]);
      }),
  };
  const filtered = Object.keys(filter).length > 0;
  return (
    <Page title="Screenshots" about="All screenshots of your account. They are deleted after your plan's retention period.">
      {(filtered || screenshots.length > 0) && <Filters filter={filter} />}
      {screenshots.length === 0 ? (
        searchedTo === null && <NoScreenshots isFiltered={filtered} />
      ) : (
        <>
          <div className="flex min-h-10 flex-wrap items-center justify-between gap-3">
            <SelectionBar
              shown={screenshots.map(({ id }) => id)}
              chosen={screenshots.map(({ id }) => id).filter((id) => chosen.has(id))}
              onChoose={(ids) => setChosen(new Set(ids))}
            />
            <div className="flex items-center gap-4">
              <Matches filter={filter} />
              <ViewSwitch isList={search.view === "list"} />
            </div>
          </div>
          {search.view === "list" ? (
            <ScreenshotTable captures={byCapture(screenshots)} filter={filter} selection={selection} />
          ) : (
            <ul className="grid gap-6 sm:grid-cols-2 xl:grid-cols-3">
              {byCapture(screenshots).map((outputs) => (
                <ScreenshotCard key={outputs[0].id} outputs={outputs} filter={filter} selection={selection} />
              ))}
            </ul>
          )}
        </>
      )}
      {searchedTo !== null && (
        <p role="status" className="justify-self-center text-sm text-muted">
          Searched back to {timeOf(searchedTo)}.
        </p>
      )}
      <ShowMore list={list} label={searchedTo === null ? undefined : "Search further back"} />
    </Page>
  );
}

function Matches({ filter }: { filter: ReturnType<typeof readFilter> }) {
  const matches = useSuspenseQuery(screenshotCountQuery(filter)).data;
  const isOne = matches.count === 1;
  const noun = Object.keys(filter).length > 0 ? (isOne ? "match" : "matches") : isOne ? "screenshot" : "screenshots";
  return (
    <p role="status" className="tabular text-sm text-muted">
      {matches.is_complete ? "" : "At least "}
      {count(matches.count)} {noun}
    </p>
  );
}

function ViewSwitch({ isList }: { isList: boolean }) {
  const navigate = useNavigate({ from: "/screenshots" });
  return (
    <Segmented
      label="View"
      hideLabel
      iconsOnly
      choices={[
        { value: "grid", label: "Grid", icon: "grid" },
        { value: "list", label: "List", icon: "list" },
      ]}
      value={isList ? "list" : "grid"}
      onChange={(view) =>
        void navigate({
          search: (before) => ({ ...before, view: view === "list" ? "list" : undefined }) as never,
          replace: true,
          resetScroll: false,
        })
      }
    />
  );
}

function NoScreenshots({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No matches" action={<ButtonLink to="/screenshots">Show all</ButtonLink>}>
        No screenshots match these filters.
      </Empty>
    );
  return (
    <Empty
      title="No screenshots yet"
      example={<ExampleScreenshots />}
      action={
        <ButtonLink to="/playground" look="primary">
          Take a screenshot
        </ButtonLink>
      }
    >
      Screenshots taken in the playground or with your API keys appear here.
    </Empty>
  );
}
