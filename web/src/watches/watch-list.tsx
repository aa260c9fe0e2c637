/** Watches, each with its latest image, its state and its latest runs. */

import { Link } from "@tanstack/react-router";
import type { Watch } from "../api/types.ts";
import { shortAddress } from "../screenshots/address.ts";
import { Thumbnail } from "../screenshots/thumbnail.tsx";
import { Ago } from "../ui/ago.tsx";
import { RunStrip } from "./runs/strip.tsx";
import { WatchBadge } from "./status-badge.tsx";
import { imageOf, scheduleOf } from "./words.ts";

export function WatchList({ watches }: { watches: Watch[] }) {
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-2xl border border-line bg-surface">
      {watches.map((watch) => (
        <Row key={watch.id} watch={watch} />
      ))}
    </ul>
  );
}

function Row({ watch }: { watch: Watch }) {
  const { id, name, url, latest_run: run, last_screenshot: image, recent, next_run_at: next } = watch;
  return (
    <li className="relative grid grid-cols-[5rem_minmax(0,1fr)] gap-x-4 gap-y-3 px-5 py-4 text-sm hover:bg-line/20 md:grid-cols-[7rem_minmax(0,3fr)_minmax(0,2fr)_9rem] md:items-center md:gap-x-6">
      <div className="aspect-16/10 self-start overflow-hidden rounded-lg border border-line bg-sunken">
        {image && <Thumbnail image={imageOf(image)} format="png" />}
      </div>
      <div className="grid min-w-0 justify-items-start gap-1">
        <Link
          to="/watches/$id"
          params={{ id }}
          className="max-w-full truncate rounded font-medium underline-offset-4 after:absolute after:inset-0 hover:underline"
        >
          {name}
        </Link>
        {shortAddress(url) !== name && <p className="max-w-full truncate text-muted">{shortAddress(url)}</p>}
        <span className="flex flex-wrap gap-2">
          <WatchBadge watch={watch} />
        </span>
      </div>
      <div className="grid gap-1 max-md:col-span-2">
        <RunStrip recent={recent} />
        <p className="truncate text-muted">{scheduleOf(watch)}</p>
      </div>
      <div className="flex flex-wrap gap-x-2 text-muted max-md:col-span-2 max-md:-mt-2 md:grid md:text-right">
        <span>{run ? <Ago time={run.created_at} /> : "Not run yet"}</span>
        {next && (
          <span>
            next <Ago time={next} />
          </span>
        )}
      </div>
    </li>
  );
}
