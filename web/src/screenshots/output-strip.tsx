/** All outputs of a screenshot's capture, with links to their pages. */

import { Link } from "@tanstack/react-router";
import type { ScreenshotFilter } from "../api/screenshot-queries.ts";
import type { HistoryEntry } from "../api/types.ts";
import { bytesOf } from "../ui/format.ts";
import { nameOf } from "./formats.ts";
import { Thumbnail } from "./thumbnail.tsx";

interface OutputStripProps {
  outputs: HistoryEntry[];
  /** Id of the output that the page shows. */
  shown: string;
  filter: ScreenshotFilter;
}

const detailOf = ({ status, format, bytes }: HistoryEntry): string => {
  if (status !== "done") return status === "failed" ? "Failed" : "Pending";
  return [format && nameOf(format), bytes !== null && bytesOf(bytes)].filter(Boolean).join(", ");
};

export function OutputStrip({ outputs, shown, filter }: OutputStripProps) {
  return (
    <nav aria-label="Outputs of this capture" className="min-w-0">
      <ul className="-m-1 flex gap-3 overflow-x-auto p-1">
        {outputs.map((one) => (
          <li key={one.id} className="w-36 shrink-0">
            <Link
              to="/screenshots/$id"
              params={{ id: one.id }}
              search={filter}
              aria-current={one.id === shown ? "page" : undefined}
              className="group grid gap-1.5 rounded-lg text-sm"
            >
              <span className="block aspect-16/10 overflow-hidden rounded-lg border border-line bg-sunken group-hover:border-edge group-aria-[current=page]:border-accent group-aria-[current=page]:ring-1 group-aria-[current=page]:ring-accent">
                <Thumbnail image={one.image} format={one.format} small />
              </span>
              <span className="truncate px-0.5 font-medium group-hover:underline">{one.output}</span>
              <span className="tabular truncate px-0.5 text-xs text-muted">{detailOf(one)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
