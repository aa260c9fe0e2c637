/** Administration: totals of the service, and its users. */

import { useSuspenseInfiniteQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { adminTotalsQuery, adminUsersQuery } from "../api/queries.ts";
import type { AdminUser } from "../api/types.ts";
import { Ago } from "../ui/ago.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { textOf } from "../ui/form.tsx";
import { count } from "../ui/format.ts";
import { Page, Section } from "../ui/page.tsx";
import { UsageChart } from "../usage/chart.tsx";
import { BillingOverview } from "./billing.tsx";
import { Invitations } from "./invitations.tsx";

export function AdminPage() {
  const totals = useSuspenseQuery(adminTotalsQuery).data;
  const figures: [string, number][] = [
    ["Users", totals.users],
    ["Disabled users", totals.users_disabled],
    ["Active keys", totals.keys_active],
    ["Stored screenshots", totals.screenshots_stored],
  ];
  return (
    <Page title="Administration">
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-2xl border border-line bg-line lg:grid-cols-4">
        {figures.map(([name, value]) => (
          <div key={name} className="flex flex-col-reverse bg-surface p-5">
            <dt className="text-sm text-muted">{name}</dt>
            <dd className="tabular text-2xl font-semibold tracking-tight">{count(value)}</dd>
          </div>
        ))}
      </dl>
      <Section title="Last 30 days">
        <UsageChart days={totals.days} />
      </Section>
      <Users />
      <BillingOverview />
      <Invitations />
    </Page>
  );
}

function Users() {
  const { search = "" } = useSearch({ from: "/account/admin/admin" });
  const navigate = useNavigate({ from: "/admin" });
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useSuspenseInfiniteQuery(adminUsersQuery(search));
  const users = data.pages.flatMap((page) => page.users);
  return (
    <Section title="Users">
      <search className="mb-4 block max-w-sm">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const text = textOf(new FormData(event.currentTarget), "search");
            void navigate({ search: { search: text || undefined }, replace: true, resetScroll: false });
          }}
        >
          <TextField label="Search by name or e-mail" name="search" type="search" defaultValue={search} />
        </form>
      </search>
      {users.length === 0 ? <p className="text-muted">No users match.</p> : <UserList users={users} />}
      {hasNextPage && (
        <Button className="mt-4" pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </Section>
  );
}

function UserList({ users }: { users: AdminUser[] }) {
  return (
    <ul className="divide-y divide-line border-t border-line">
      {users.map(({ id, name, email, role, disabled_at, plan_id, month, last_used_at }) => (
        <li
          key={id}
          className="relative grid gap-x-6 gap-y-1 py-3 text-sm hover:bg-sunken sm:grid-cols-[minmax(0,3fr)_minmax(0,1fr)_minmax(0,1fr)_8rem]"
        >
          <div className="min-w-0">
            <span className="flex items-center gap-2">
              <Link to="/admin/users/$id" params={{ id }} className="truncate font-medium after:absolute after:inset-0">
                {name}
              </Link>
              {role === "admin" && <Badge tone="plain">Admin</Badge>}
              {disabled_at && <Badge tone="bad">Disabled</Badge>}
            </span>
            <span className="block truncate text-sm text-muted">{email}</span>
          </div>
          <div className="flex gap-4 text-sm text-muted sm:contents">
            <p className="text-ink">{plan_id}</p>
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
