/** A screenshot in the grid; its failure if there is no image or document. */

import type { ScreenshotFilter } from "../api/screenshot-queries.ts";
import type { HistoryEntry } from "../api/types.ts";
import { Ago } from "../ui/ago.tsx";
import { ScreenshotLink } from "./screenshot-link.tsx";
import { SelectBox, type Selection } from "./select-box.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { Thumbnail } from "./thumbnail.tsx";

interface ScreenshotCardProps {
  screenshot: HistoryEntry;
  filter?: ScreenshotFilter;
  /** Without it, the card can't be selected. */
  selection?: Selection;
}

export function ScreenshotCard({ screenshot, filter = {}, selection }: ScreenshotCardProps) {
  const { status, image, format, created_at } = screenshot;
  return (
    <li className="group relative grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-2">
      <div className="aspect-16/10 overflow-hidden rounded-lg border border-line bg-sunken group-hover:border-edge">
        {image ? (
          <Thumbnail image={image} format={format} />
        ) : (
          <div className="grid size-full place-items-center p-4 text-center text-sm text-muted">
            <span className="line-clamp-3">{screenshot.error_message ?? (status === "done" ? "The file could not be stored." : "")}</span>
          </div>
        )}
      </div>
      {selection && (
        <span className="absolute top-2 left-2 z-10 grid size-8 place-items-center rounded-lg border border-edge bg-surface opacity-0 group-hover:opacity-100 focus-within:opacity-100 has-checked:opacity-100 pointer-coarse:opacity-100">
          <SelectBox screenshot={screenshot} selection={selection} />
        </span>
      )}
      <div className="flex items-start justify-between gap-3 text-sm">
        <ScreenshotLink
          screenshot={screenshot}
          filter={filter}
          className="group-hover:underline after:absolute after:inset-0 after:rounded-lg"
        />
        <span className="flex shrink-0 flex-col items-end gap-1 text-muted">
          <StatusBadge screenshot={screenshot} />
          <Ago time={created_at} />
        </span>
      </div>
    </li>
  );
}
