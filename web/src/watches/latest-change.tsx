/** The latest run, if it failed or found a change that hasn't been accepted. */

import type { Watch } from "../api/types.ts";
import { ButtonLink } from "../ui/button.tsx";
import { counted } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { Accept } from "./runs/accept.tsx";

export function LatestChange({ watch: { id, latest_run: run, status, accepted_run_id: accepted } }: { watch: Watch }) {
  if (run?.status === "failed" && run.error) return <Notice tone="bad">The last run failed. {run.error.message}</Notice>;
  if (run?.status !== "changed" || status !== "changed" || run.id === accepted) return null;
  return (
    <Notice tone="warn">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <p className="font-medium">The page has changed: {counted(run.regions_total, "region")}.</p>
          <ul>
            {run.regions.map(({ name, selector, kind }) => (
              <li key={`${kind} ${selector} ${name}`}>{name}</li>
            ))}
          </ul>
        </div>
        <div className="flex flex-wrap gap-3">
          <ButtonLink to="/watches/$id/runs/$run" params={{ id, run: run.id }}>
            See what changed
          </ButtonLink>
          <Accept watchId={id} runId={run.id} />
        </div>
      </div>
    </Notice>
  );
}
