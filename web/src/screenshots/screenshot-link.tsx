/** A link to a screenshot's page: the title of the captured page, and its address. */

import { Link } from "@tanstack/react-router";
import type { ScreenshotFilter } from "../api/screenshot-queries.ts";
import type { HistoryEntry } from "../api/types.ts";
import { shortAddress } from "./address.ts";

interface ScreenshotLinkProps {
  screenshot: HistoryEntry;
  /** For the previous and next one on its page. */
  filter: ScreenshotFilter;
  className: string;
}

export function ScreenshotLink({ screenshot: { id, url, title }, filter, className }: ScreenshotLinkProps) {
  return (
    <Link to="/screenshots/$id" params={{ id }} search={filter} className={`min-w-0 underline-offset-4 ${className}`}>
      <span className="block truncate font-medium">{title ?? shortAddress(url)}</span>
      {title && <span className="block truncate text-muted">{shortAddress(url)}</span>}
    </Link>
  );
}
