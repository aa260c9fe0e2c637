/** A screenshot in the gallery; its status if there is no image. */

import { Link } from "@tanstack/react-router";
import type { HistoryEntry } from "../api/types.ts";
import { Ago } from "../ui/ago.tsx";
import { Badge } from "../ui/badge.tsx";
import { VerdictBadge, verdictNames } from "./verdict.tsx";

/** The URL without scheme, `www.` and trailing slash. */
export const shortAddress = (url: string): string => url.replace(/^https?:\/\/(www\.)?/, "").replace(/\/$/, "");

export function ScreenshotCard({ screenshot }: { screenshot: HistoryEntry }) {
  const { id, url, status, image, created_at } = screenshot;
  return (
    <li className="group relative grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-2">
      <div className="aspect-16/10 overflow-hidden rounded-lg border border-line bg-sunken">
        {image ? (
          <img src={image} alt="" loading="lazy" decoding="async" className="checkered size-full object-cover object-left-top" />
        ) : (
          <div className="grid size-full content-center justify-items-center gap-2 p-4 text-center text-sm text-muted">
            <StatusBadge screenshot={screenshot} />
            <span className="line-clamp-3">{screenshot.error_message ?? (status === "done" ? "The image could not be stored." : "")}</span>
          </div>
        )}
      </div>
      <div className="flex items-baseline justify-between gap-3 text-sm">
        <Link
          to="/screenshots/$id"
          params={{ id }}
          className="truncate font-medium underline-offset-4 group-hover:underline after:absolute after:inset-0 after:rounded-lg"
        >
          {shortAddress(url)}
        </Link>
        <span className="flex shrink-0 items-baseline gap-2 text-muted">
          <VerdictBadge screenshot={screenshot} />
          <Ago time={created_at} />
        </span>
      </div>
    </li>
  );
}

/** A screenshot that shows something else than the page has a verdict in place of "Captured". */
export function StatusBadge({ screenshot }: { screenshot: HistoryEntry }) {
  const { status, verdict } = screenshot;
  if (status === "done")
    return verdict && verdictNames[verdict] ? <VerdictBadge screenshot={screenshot} /> : <Badge tone="good">Captured</Badge>;
  return status === "failed" ? <Badge tone="bad">Failed</Badge> : <Badge tone="warn">Pending</Badge>;
}
