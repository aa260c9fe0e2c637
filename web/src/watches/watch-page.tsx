/** A watch: its runs, what it compares and what it ignores. */

import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import type { Watch } from "../api/types.ts";
import { watchQuery } from "../api/watch-queries.ts";
import { Page, Section } from "../ui/page.tsx";
import { LatestChange } from "./latest-change.tsx";
import { MutedList } from "./muted-list.tsx";
import { RunStrip } from "./runs/strip.tsx";
import { RunTimeline } from "./runs/timeline.tsx";
import { WatchBadge } from "./status-badge.tsx";
import { WatchActions } from "./watch-actions.tsx";
import { WatchFacts } from "./watch-facts.tsx";

export function WatchPage() {
  const { id } = useParams({ from: "/account/watches/$id" });
  const watch = useSuspenseQuery(watchQuery(id)).data;
  useNewRuns(watch);
  return (
    <Page
      title={watch.name}
      about={
        <span className="flex flex-wrap items-center gap-3">
          <WatchBadge watch={watch} />
          <a href={watch.url} target="_blank" rel="noreferrer" className="break-all text-accent underline underline-offset-4">
            {watch.url}
          </a>
        </span>
      }
      actions={<WatchActions watch={watch} />}
    >
      <LatestChange watch={watch} />
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <RunTimeline watch={watch} />
        <div className="grid gap-6">
          <Section title="Last runs">
            <RunStrip recent={watch.recent} />
          </Section>
          <WatchFacts watch={watch} />
          <MutedList watch={watch} />
        </div>
      </div>
    </Page>
  );
}

/** Refetches the runs when there is a new one, or when the latest one's state changes. */
function useNewRuns({ id, latest_run: run, accepted_run_id: accepted }: Watch): void {
  const queries = useQueryClient();
  const now = `${run?.id} ${run?.status} ${accepted}`;
  const last = useRef(now);
  useEffect(() => {
    if (last.current !== now) void queries.invalidateQueries({ queryKey: ["watches", "runs", id] });
    last.current = now;
  }, [queries, id, now]);
}
