/** A screenshot in the grid, or the outputs of a capture; the failure if there is no image or document. */

import type { ScreenshotFilter } from "../api/screenshot-queries.ts";
import { Ago } from "../ui/ago.tsx";
import { Prose } from "../ui/prose.tsx";
import { type Outputs, shownOf } from "./captures.ts";
import { ScreenshotLink } from "./screenshot-link.tsx";
import { SelectBox, type Selection } from "./select-box.tsx";
import { OutputsBadge } from "./status-badge.tsx";
import { Thumbnail } from "./thumbnail.tsx";

interface ScreenshotCardProps {
  outputs: Outputs;
  filter?: ScreenshotFilter;
  /** If absent, the card can't be selected. */
  selection?: Selection;
}

export function ScreenshotCard({ outputs, filter = {}, selection }: ScreenshotCardProps) {
  const { status, image, format, created_at, error_message } = shownOf(outputs);
  return (
    <li className="group relative grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-2">
      <div
        className={`aspect-16/10 overflow-hidden rounded-lg border border-line bg-sunken group-hover:border-edge ${outputs.length > 1 ? "shadow-[0.25rem_0.25rem_0_-1px_var(--color-sunken),0.25rem_0.25rem_0_0_var(--color-line)]" : ""}`}
      >
        {image ? (
          <Thumbnail image={image} format={format} />
        ) : (
          <div className="grid size-full place-items-center p-4 text-center text-sm text-muted">
            <span className="line-clamp-3">
              <Prose text={error_message ?? (status === "done" ? "The file could not be stored." : "")} />
            </span>
          </div>
        )}
      </div>
      {selection && (
        <span className="absolute top-2 left-2 z-10 grid size-8 place-items-center rounded-lg border border-edge bg-surface opacity-0 group-hover:opacity-100 focus-within:opacity-100 has-checked:opacity-100 pointer-coarse:opacity-100">
          <SelectBox outputs={outputs} selection={selection} />
        </span>
      )}
      <div className="flex items-start justify-between gap-3 text-sm">
        <ScreenshotLink outputs={outputs} filter={filter} className="group-hover:underline after:absolute after:inset-0 after:rounded-lg" />
        <span className="flex shrink-0 flex-col items-end gap-1 text-muted">
          <OutputsBadge outputs={outputs} />
          <Ago time={created_at} />
        </span>
      </div>
    </li>
  );
}
