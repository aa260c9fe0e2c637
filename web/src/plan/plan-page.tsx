/** The account's plan, this month's usage, and the other plans. */

import { useSuspenseQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { accountQuery, plansQuery } from "../api/queries.ts";
import { Badge } from "../ui/badge.tsx";
import { count, counted, dateOf } from "../ui/format.ts";
import { Page, Section } from "../ui/page.tsx";
import { MonthMeter } from "../usage/month-meter.tsx";

export function PlanPage() {
  const { plan, month } = useSuspenseQuery(accountQuery).data;
  const plans = useSuspenseQuery(plansQuery).data;
  return (
    <Page title="Plan" about={`You are on the ${plan.name} plan. To change it, contact the operator of this service.`}>
      <Section title="This month" aside={plan.current_period_end ? `Paid until ${dateOf(plan.current_period_end)}` : undefined}>
        <MonthMeter month={month} />
        <p className="mt-4 max-w-2xl text-sm text-muted">Only new screenshots count. Cached, failed and rejected requests don't.</p>
      </Section>
      <ul className="grid gap-6 md:grid-cols-2 lg:grid-cols-3">
        {plans.map(({ id, name, rate_limit, monthly_quota, max_keys, retention_days, current }) => (
          <li key={id} className={`rounded-2xl border bg-surface p-6 ${current ? "border-ink" : "border-line"}`}>
            <h2 className="flex items-center justify-between gap-3 text-lg font-semibold tracking-tight">
              {name} {current && <Badge tone="good">Current</Badge>}
            </h2>
            <dl className="tabular mt-4 grid gap-3">
              <Limit name="Screenshots per month">{monthly_quota === null ? "unlimited" : count(monthly_quota)}</Limit>
              <Limit name={rate_limit.window_seconds === 60 ? "Requests per minute" : `Requests per ${rate_limit.window_seconds} seconds`}>
                {count(rate_limit.requests)}
              </Limit>
              <Limit name="API keys">{count(max_keys)}</Limit>
              <Limit name="Retention">{counted(retention_days, "day")}</Limit>
            </dl>
          </li>
        ))}
      </ul>
    </Page>
  );
}

function Limit({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4 border-t border-line pt-3">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="font-medium">{children}</dd>
    </div>
  );
}
