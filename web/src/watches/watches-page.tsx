/** The pages that the account watches. */

import { useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { WatchRun } from "../api/types.ts";
import { watchesQuery } from "../api/watch-queries.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Empty, type ExampleRow, ExampleRows } from "../ui/empty.tsx";
import { Segmented } from "../ui/form/segmented.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { ShowMore } from "../ui/show-more.tsx";
import { RunStrip } from "./runs/strip.tsx";
import { WatchList } from "./watch-list.tsx";

type RunStatus = WatchRun["status"];

const choices = [
  { value: "", label: "All" },
  { value: "active", label: "Active" },
  { value: "paused", label: "Paused" },
];

const ended = (statuses: RunStatus[]) => statuses.map((status, index) => ({ id: String(index), status, at: new Date(0).toISOString() }));
const quiet = Array<RunStatus>(12).fill("unchanged");
const exampleWatches: ExampleRow[] = [
  {
    title: "Prices of a competitor",
    about: "example.com/pricing · “19 €” → “21 €”",
    badge: ["warn", "Changed"],
    middle: <RunStrip recent={ended(["changed", ...quiet, "changed", ...quiet])} />,
    time: "every day",
    color: "bg-accent",
  },
  {
    title: "Terms of service",
    about: "example.org/terms",
    badge: ["good", "Unchanged"],
    middle: <RunStrip recent={ended([...quiet, ...quiet])} />,
    time: "every 12 hours",
    color: "bg-warn",
  },
];

export function WatchesPage() {
  const filter = useSearch({ from: "/account/watches" });
  const navigate = useNavigate({ from: "/watches" });
  const list = useSuspenseInfiniteQuery(watchesQuery(filter));
  const watches = list.data.pages.flatMap((page) => page.watches);
  const isFiltered = filter.state !== undefined;
  return (
    <Page
      title="Watches"
      about="Pages that are captured on a schedule. A webhook or a feed reports changes."
      actions={
        <ButtonLink to="/watches/new" look="primary">
          <Icon name="plus" />
          Create watch
        </ButtonLink>
      }
    >
      {(isFiltered || watches.length > 0) && (
        <div>
          <Segmented
            label="State"
            hideLabel
            choices={choices}
            value={filter.state ?? ""}
            onChange={(state) => void navigate({ search: { state: state || undefined }, replace: true, resetScroll: false })}
          />
        </div>
      )}
      {watches.length > 0 ? <WatchList watches={watches} /> : <NoWatches isFiltered={isFiltered} />}
      <ShowMore list={list} />
    </Page>
  );
}

function NoWatches({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No matches" action={<ButtonLink to="/watches">Show all</ButtonLink>}>
        No watches in this state.
      </Empty>
    );
  return (
    <Empty
      title="No watches yet"
      example={<ExampleRows rows={exampleWatches} />}
      action={
        <ButtonLink to="/watches/new" look="primary">
          Create watch
        </ButtonLink>
      }
    >
      A watch captures a page on a schedule, and shows what has changed: a price, a paragraph, a banner that moved.
    </Empty>
  );
}
