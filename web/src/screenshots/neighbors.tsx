/** Links to the next newer and the next older screenshot. */

import type { ScreenshotFilter } from "../api/screenshot-queries.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";

interface NeighborsProps {
  newer: string | null;
  older: string | null;
  /** Filter of the list from which the page was opened. */
  filter: ScreenshotFilter;
}

export function Neighbors({ newer, older, filter }: NeighborsProps) {
  const link = (id: string | null, name: string, icon: IconName) => (
    <ButtonLink
      to="/screenshots/$id"
      params={{ id: id ?? "" }}
      search={filter}
      disabled={id === null}
      aria-label={name}
      className={id === null ? "opacity-50" : ""}
    >
      <Icon name={icon} />
    </ButtonLink>
  );
  return (
    <div className="flex gap-1.5">
      {link(newer, "Newer screenshot", "previous")}
      {link(older, "Older screenshot", "next")}
    </div>
  );
}
