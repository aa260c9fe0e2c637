/** A run in its watch's timeline: its image, what it found, and when. */

import { Link } from "@tanstack/react-router";
import type { WatchRun } from "../../api/types.ts";
import { Thumbnail } from "../../screenshots/thumbnail.tsx";
import { Ago } from "../../ui/ago.tsx";
import { count, timeOf } from "../../ui/format.ts";
import { Prose } from "../../ui/prose.tsx";
import { RunBadge } from "../status-badge.tsx";
import { imageOf, shareOf } from "../words.ts";

export function RunRow({ watchId, run }: { watchId: string; run: WatchRun }) {
  const { id, screenshot, created_at: at, regions, regions_total: total, changed_share: share, error } = run;
  const more = total - regions.length;
  return (
    <li className="relative grid grid-cols-[4.5rem_minmax(0,1fr)] gap-x-4 px-5 py-4 text-sm hover:bg-line/20">
      <div className="aspect-16/10 overflow-hidden rounded border border-line bg-sunken">
        {screenshot && <Thumbnail image={imageOf(screenshot)} format="png" small />}
      </div>
      <div className="grid min-w-0 gap-1">
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
          <span className="flex flex-wrap items-center gap-2">
            <Link
              to="/watches/$id/runs/$run"
              params={{ id: watchId, run: id }}
              className="rounded font-medium underline-offset-4 after:absolute after:inset-0 hover:underline"
            >
              {timeOf(at)}
            </Link>
            <RunBadge run={run} />
          </span>
          <span className="text-muted">
            <Ago time={at} />
          </span>
        </div>
        {error && (
          <p className="wrap-anywhere text-muted">
            <Prose text={error.message} />
          </p>
        )}
        {total > 0 && (
          <ul className="wrap-anywhere text-muted">
            {regions.map(({ name, selector, kind }) => (
              <li key={`${kind} ${selector} ${name}`}>{name}</li>
            ))}
            {more > 0 && <li>and {count(more)} more</li>}
          </ul>
        )}
        {share !== null && share > 0 && <p className="tabular text-muted">{shareOf(share)}</p>}
      </div>
    </li>
  );
}
