/** Batches, newest first, each with its progress. */

import { Link } from "@tanstack/react-router";
import type { AccountBatch } from "../api/types.ts";
import { Ago } from "../ui/ago.tsx";
import { Badge } from "../ui/badge.tsx";
import { count } from "../ui/format.ts";
import { BatchBar } from "./batch-bar.tsx";
import { BatchBadge } from "./state-badge.tsx";
import { progressOf, titleOf } from "./words.ts";

export function BatchList({ batches }: { batches: AccountBatch[] }) {
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-2xl border border-line bg-surface">
      {batches.map((batch) => (
        <Row key={batch.id} batch={batch} />
      ))}
    </ul>
  );
}

function Row({ batch }: { batch: AccountBatch }) {
  const title = titleOf(batch);
  return (
    <li className="relative grid gap-x-6 gap-y-2 px-5 py-4 text-sm hover:bg-line/20 sm:grid-cols-[minmax(0,3fr)_minmax(0,3fr)_8rem] sm:items-center">
      <div className="grid min-w-0 justify-items-start gap-1">
        <Link
          to="/batches/$id"
          params={{ id: batch.id }}
          className="max-w-full truncate rounded font-medium underline-offset-4 after:absolute after:inset-0 hover:underline"
        >
          {title}
        </Link>
        <span className="flex flex-wrap gap-2">
          <BatchBadge batch={batch} />
          {batch.counts.failed > 0 && <Badge tone="bad">{count(batch.counts.failed)} failed</Badge>}
          {batch.counts.canceled > 0 && <Badge tone="plain">{count(batch.counts.canceled)} canceled</Badge>}
        </span>
      </div>
      <div className="grid gap-1.5">
        <BatchBar batch={batch} label={`Progress of ${title}`} />
        <p className="tabular text-muted">{progressOf(batch)}</p>
      </div>
      <p className="text-muted sm:text-right">
        <Ago time={batch.created_at} />
      </p>
    </li>
  );
}
