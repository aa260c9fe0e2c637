/** Administration pages, under a common navigation. */

import { Link, type LinkProps, Outlet } from "@tanstack/react-router";

const pages: { to: NonNullable<LinkProps["to"]>; name: string }[] = [
  { to: "/admin", name: "Service" },
  { to: "/admin/users", name: "Users" },
  { to: "/admin/plans", name: "Plans" },
  { to: "/admin/invitations", name: "Invitations" },
  { to: "/admin/activity", name: "Activity" },
];

export function AdminLayout() {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-8">
      <nav aria-label="Administration" className="border-b border-line">
        <ul className="-mb-px flex overflow-x-auto">
          {pages.map(({ to, name }) => (
            <li key={to}>
              <Link
                to={to}
                activeOptions={{ exact: to === "/admin", includeSearch: false }}
                className="block border-b-2 border-transparent px-3 py-2 text-sm font-medium whitespace-nowrap text-muted -outline-offset-2 hover:text-ink aria-[current=page]:border-ink aria-[current=page]:text-ink"
              >
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Outlet />
    </div>
  );
}
