/** Links to all pages, in groups. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useId } from "react";
import { accountQuery } from "../api/queries.ts";
import { Icon } from "../ui/icon.tsx";
import { type PageGroup, pageGroups } from "./pages.ts";

const entry =
  "flex min-h-9 items-center gap-2.5 rounded-lg px-3 py-1.5 lg:min-h-8 lg:py-1 text-sm font-medium text-muted hover:bg-line/40 hover:text-ink aria-[current=page]:bg-line/70 aria-[current=page]:text-ink";

export function Navigation() {
  const { user } = useSuspenseQuery(accountQuery).data;
  return (
    <nav aria-label="Pages" className="grid gap-5 lg:gap-4">
      {pageGroups(user.role).map((group) => (
        <Group key={group.title ?? ""} group={group} />
      ))}
    </nav>
  );
}

function Group({ group: { title, pages } }: { group: PageGroup }) {
  const id = useId();
  return (
    <div>
      {title && (
        <p id={id} className="mb-1 px-3 text-xs font-medium text-muted">
          {title}
        </p>
      )}
      <ul aria-labelledby={title && id} className="grid gap-0.5">
        {pages.map(({ to, name, icon }) => (
          <li key={to}>
            <Link to={to} activeOptions={{ exact: to === "/", includeSearch: false }} className={entry}>
              <Icon name={icon} />
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
