/** One plan: its limits, its price, and how to get it. */

import type { ReactNode } from "react";
import type { Plan, Price } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { count, counted } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { moneyOf } from "./money.ts";
import { useProviderPage } from "./use-provider-page.ts";

interface PlanCardProps {
  plan: Plan & { current: boolean };
  /** undefined if the plan is not for sale, or if its price is unknown. */
  price: Price | undefined;
  canBuy: boolean;
}

export function PlanCard({ plan, price, canBuy }: PlanCardProps) {
  const { name, rate_limit, monthly_quota, max_keys, retention_days, current } = plan;
  const checkout = useProviderPage();
  return (
    <li className={`flex flex-col rounded-2xl border bg-surface p-6 ${current ? "border-ink" : "border-line"}`}>
      <div className="flex items-center justify-between gap-3">
        <h2 className="text-lg font-semibold tracking-tight">{name}</h2>
        {current && <Badge tone="good">Current plan</Badge>}
      </div>
      {price && <PriceLine price={price} />}
      <dl className="tabular mt-4 grid gap-3">
        <Limit name="Screenshots per month">{monthly_quota === null ? "unlimited" : count(monthly_quota)}</Limit>
        <Limit name={rate_limit.window_seconds === 60 ? "Requests per minute" : `Requests per ${rate_limit.window_seconds} seconds`}>
          {count(rate_limit.requests)}
        </Limit>
        <Limit name="API keys">{count(max_keys)}</Limit>
        <Limit name="Retention">{counted(retention_days, "day")}</Limit>
      </dl>
      {checkout.error && (
        <div className="mt-4">
          <Notice tone="bad">{checkout.error.message}</Notice>
        </div>
      )}
      {price && canBuy && !current && (
        <Button look="primary" className="mt-6" pending={checkout.isPending} onClick={() => checkout.mutate({ checkout: plan.id })}>
          Upgrade to {name}
        </Button>
      )}
    </li>
  );
}

function PriceLine({ price: { amount, currency, period, period_count, trial } }: { price: Price }) {
  const per = period_count === 1 ? `a ${period}` : `every ${counted(period_count, period)}`;
  return (
    <p className="mt-1">
      {amount === null || currency === null ? "Price at checkout" : <span className="font-medium">{moneyOf(amount, currency)}</span>}{" "}
      <span className="text-muted">
        {per}
        {trial && `, first ${counted(trial.count, trial.unit)} free`}
      </span>
    </p>
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
