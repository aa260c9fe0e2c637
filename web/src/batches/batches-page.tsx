/** The account's batches, newest first. */

import { useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { batchesQuery } from "../api/batch-queries.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Empty, type ExampleRow, ExampleRows } from "../ui/empty.tsx";
import { Segmented } from "../ui/form/segmented.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { ShowMore } from "../ui/show-more.tsx";
import { BatchList } from "./batch-list.tsx";

const choices = [
  { value: "", label: "All" },
  { value: "running", label: "Running" },
  { value: "done", label: "Done" },
];

const bar = (share: string) => (
  <div className="h-1.5 overflow-hidden rounded-full bg-line">
    <div className={`h-full rounded-full bg-good ${share}`} />
  </div>
);
const exampleBatches: ExampleRow[] = [
  {
    title: "example.com and 239 more",
    about: "150 of 240 captures",
    badge: ["plain", "Running"],
    middle: bar("w-5/8"),
    time: "1 minute ago",
  },
  { title: "Sitemap of example.org", about: "86 of 86 captures", badge: ["good", "Done"], middle: bar("w-full"), time: "yesterday" },
];

export function BatchesPage() {
  const filter = useSearch({ from: "/account/batches" });
  const navigate = useNavigate({ from: "/batches" });
  const list = useSuspenseInfiniteQuery(batchesQuery(filter));
  const batches = list.data.pages.flatMap((page) => page.batches);
  const isFiltered = filter.status !== undefined;
  return (
    <Page
      title="Batches"
      about="Many captures from one request. They are deleted after your plan's retention period."
      actions={
        <ButtonLink to="/batches/new" look="primary">
          <Icon name="plus" />
          Create batch
        </ButtonLink>
      }
    >
      {(isFiltered || batches.length > 0) && (
        <div>
          <Segmented
            label="State"
            hideLabel
            choices={choices}
            value={filter.status ?? ""}
            onChange={(status) => void navigate({ search: { status: status || undefined }, replace: true, resetScroll: false })}
          />
        </div>
      )}
      {batches.length === 0 ? <NoBatches isFiltered={isFiltered} /> : <BatchList batches={batches} />}
      <ShowMore list={list} />
    </Page>
  );
}

function NoBatches({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No matches" action={<ButtonLink to="/batches">Show all</ButtonLink>}>
        No batches in this state.
      </Empty>
    );
  return (
    <Empty
      title="No batches yet"
      example={<ExampleRows rows={exampleBatches} />}
      action={<ButtonLink to="/batches/new">Create batch</ButtonLink>}
    >
      Create one with up to 1,000 URLs, a sitemap or a site, here or with <code className="font-mono text-sm">POST /v1/batches</code>. Its
      progress appears here.
    </Empty>
  );
}
