/** A link to a screenshot's page: the title of the captured page, its URL, and its outputs if it has several. */

import { Link } from "@tanstack/react-router";
import type { ScreenshotFilter } from "../api/screenshot-queries.ts";
import { shortAddress } from "./address.ts";
import { namesOf, type Outputs, shownOf } from "./captures.ts";

interface ScreenshotLinkProps {
  outputs: Outputs;
  /** For the links to the previous and next screenshot on its page. */
  filter: ScreenshotFilter;
  className: string;
}

export function ScreenshotLink({ outputs, filter, className }: ScreenshotLinkProps) {
  const { id, url, title } = shownOf(outputs);
  const names = namesOf(outputs);
  return (
    <Link to="/screenshots/$id" params={{ id }} search={filter} className={`min-w-0 underline-offset-4 ${className}`}>
      <span className="block truncate font-medium">{title ?? shortAddress(url)}</span>
      {title && <span className="block truncate text-muted">{shortAddress(url)}</span>}
      {names && <span className="block truncate text-muted">{names}</span>}
    </Link>
  );
}
