/** The runs of a watch, newest first: all, or those that found a change or failed. */

import { useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Watch } from "../../api/types.ts";
import { runsQuery } from "../../api/watch-queries.ts";
import { Segmented } from "../../ui/form/segmented.tsx";
import { ShowMore } from "../../ui/show-more.tsx";
import { RunRow } from "./row.tsx";

const choices = [
  { value: "", label: "All" },
  { value: "changed", label: "Changed" },
  { value: "failed", label: "Failed" },
];

export function RunTimeline({ watch: { id, phase } }: { watch: Watch }) {
  const filter = useSearch({ from: "/account/watches/$id" });
  const navigate = useNavigate({ from: "/watches/$id" });
  const list = useSuspenseInfiniteQuery(runsQuery(id, filter));
  const runs = list.data.pages.flatMap((page) => page.runs);
  return (
    <section className="grid min-w-0 gap-4">
      <div className="flex flex-wrap items-center justify-between gap-4">
        <h2 className="text-lg font-semibold tracking-tight">Runs</h2>
        <Segmented
          label="Runs"
          hideLabel
          choices={choices}
          value={filter.status ?? ""}
          onChange={(status) => void navigate({ search: { status: status || undefined }, replace: true, resetScroll: false })}
        />
      </div>
      {runs.length === 0 ? (
        <p className="text-muted">{filter.status ? "No matching runs." : "The first run starts in a moment."}</p>
      ) : (
        <ol className="divide-y divide-line overflow-hidden rounded-2xl border border-line bg-surface">
          {runs.map((run) => (
            <RunRow key={run.id} watchId={id} run={run} />
          ))}
        </ol>
      )}
      <ShowMore list={list} />
      {phase === "learning" && (
        <p className="text-sm text-muted">
          The first three runs learn which regions differ on every load, such as ads, and mute them. They report no changes.
        </p>
      )}
      <p className="text-sm text-muted">Runs are kept for 90 days, webhook deliveries for 30.</p>
    </section>
  );
}
