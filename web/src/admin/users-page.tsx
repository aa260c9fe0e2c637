/** Administration: all accounts. */

import { useSuspenseInfiniteQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { adminPlansQuery, adminUsersQuery } from "../api/admin-queries.ts";
import type { AdminPlan, AdminUser } from "../api/types.ts";
import { Ago } from "../ui/ago.tsx";
import { Badge } from "../ui/badge.tsx";
import { count } from "../ui/format.ts";
import { Page } from "../ui/page.tsx";
import { ShowMore } from "../ui/show-more.tsx";
import { UserFilters } from "./user-filters.tsx";

export function UsersPage() {
  const filter = useSearch({ from: "/account/admin/admin/users" });
  const navigate = useNavigate({ from: "/admin/users" });
  const plans = useSuspenseQuery(adminPlansQuery).data;
  const list = useSuspenseInfiniteQuery(adminUsersQuery(filter));
  const users = list.data.pages.flatMap((page) => page.users);
  return (
    <Page title="Users">
      <UserFilters
        filter={filter}
        plans={plans}
        onChange={(name, value) =>
          void navigate({ search: (before) => ({ ...before, [name]: value || undefined }), replace: true, resetScroll: false })
        }
      />
      {users.length === 0 ? <p className="text-muted">No matching users.</p> : <UserList users={users} plans={plans} />}
      <ShowMore list={list} />
    </Page>
  );
}

function UserList({ users, plans }: { users: AdminUser[]; plans: AdminPlan[] }) {
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-2xl border border-line bg-surface">
      {users.map(({ id, name, email, role, disabled_at, plan_id, month, last_used_at }) => (
        <li
          key={id}
          className="relative grid gap-x-6 gap-y-1 px-5 py-3 text-sm hover:bg-sunken sm:grid-cols-[minmax(0,3fr)_minmax(0,1fr)_minmax(0,1fr)_8rem]"
        >
          <div className="min-w-0">
            <span className="flex items-center gap-2">
              <Link
                to="/admin/users/$id"
                params={{ id }}
                className="truncate font-medium after:absolute after:inset-0 after:-outline-offset-2"
              >
                {name}
              </Link>
              {role === "admin" && <Badge tone="plain">Admin</Badge>}
              {disabled_at && <Badge tone="bad">Disabled</Badge>}
            </span>
            <span className="block truncate text-sm text-muted">{email}</span>
          </div>
          <div className="flex gap-4 text-sm text-muted sm:contents">
            <p className="text-ink">{plans.find(({ id: other }) => other === plan_id)?.name ?? plan_id}</p>
            <p className="tabular">
              {count(month.used)}
              {month.quota === null ? "" : ` of ${count(month.quota)}`}
            </p>
            <p className="sm:text-right">
              <Ago time={last_used_at} never="never used" />
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}
