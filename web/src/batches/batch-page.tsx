/** A batch: its progress while it runs, and its captures. */

import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { batchQuery } from "../api/batch-queries.ts";
import { announce } from "../shell/announcer.tsx";
import { Ago } from "../ui/ago.tsx";
import { buttonClass } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { BatchCaptures } from "./batch-captures.tsx";
import { BatchProgress } from "./batch-progress.tsx";
import { CancelBatch } from "./cancel-batch.tsx";
import { LeftOut } from "./left-out.tsx";
import { BatchBadge } from "./state-badge.tsx";
import { progressOf, titleOf } from "./words.ts";

export function BatchPage() {
  const { id } = useParams({ from: "/account/batches/$id" });
  const batch = useSuspenseQuery(batchQuery(id)).data;
  const { done, failed, queued } = batch.counts;
  useChanges(id, JSON.stringify(batch.counts));
  const last = useRef(batch.status);
  useEffect(() => {
    if (last.current === "running" && batch.status === "done") announce(`The batch has ended: ${progressOf(batch)}`);
    last.current = batch.status;
  }, [batch]);
  return (
    <Page
      title={titleOf(batch)}
      about={
        <span className="flex flex-wrap items-center gap-3">
          <BatchBadge batch={batch} />
          <span>
            Started <Ago time={batch.created_at} />
          </span>
        </span>
      }
      actions={
        <>
          {done + failed > 0 && (
            <a href={`/v1/account/batches/${id}/zip`} download className={buttonClass}>
              <Icon name="download" />
              Download zip
            </a>
          )}
          {(queued > 0 || (batch.crawl && batch.status === "running")) && <CancelBatch id={id} queued={queued} />}
        </>
      }
    >
      <BatchProgress batch={batch} />
      {batch.crawl && <LeftOut crawl={batch.crawl} />}
      <BatchCaptures batch={batch} />
    </Page>
  );
}

/** Refetches the captures when the number of captures in any state has changed. */
function useChanges(id: string, counts: string): void {
  const queries = useQueryClient();
  const last = useRef(counts);
  useEffect(() => {
    if (last.current !== counts) void queries.invalidateQueries({ queryKey: ["batches", "captures", id] });
    last.current = counts;
  }, [queries, id, counts]);
}
