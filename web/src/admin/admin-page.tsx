/** Administration: totals, recent failures and the state of the service. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { adminTotalsQuery } from "../api/admin-queries.ts";
import { count } from "../ui/format.ts";
import { Page, Section } from "../ui/page.tsx";
import { UsageChart } from "../usage/chart.tsx";
import { BillingOverview } from "./billing.tsx";
import { RecentFailures } from "./recent-failures.tsx";
import { ReplicaState } from "./replica-state.tsx";

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
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <RecentFailures />
        <ReplicaState />
      </div>
      <Section title="Last 30 days">
        <UsageChart days={totals.days} />
      </Section>
      <BillingOverview />
    </Page>
  );
}
