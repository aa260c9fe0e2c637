/** The account's plan and subscription, this month's usage, and the other plans. */

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { accountQuery, billingQuery, plansQuery, pricesQuery } from "../api/queries.ts";
import { Notice } from "../ui/notice.tsx";
import { Page, Section } from "../ui/page.tsx";
import { MonthMeter } from "../usage/month-meter.tsx";
import { CheckoutResult } from "./checkout-result.tsx";
import { PlanCard } from "./plan-card.tsx";
import { SubscriptionNotice } from "./subscription-notice.tsx";
import { useFreshState } from "./use-fresh-state.ts";
import { canBuy } from "./words.ts";

export function PlanPage() {
  const { plan, month } = useSuspenseQuery(accountQuery).data;
  const plans = useSuspenseQuery(plansQuery).data;
  const { enabled, subscription } = useSuspenseQuery(billingQuery).data;
  const { checkout, from } = useSearch({ from: "/account/plan" });
  useFreshState(from === "portal");
  // The provider may be slow or unavailable: the page doesn't wait for it.
  const prices = useQuery({ ...pricesQuery, enabled });
  const isManual = plan.source === "manual";
  const operator = "To change it, ask your operator.";
  return (
    <Page title="Plan" about={`You are on the ${plan.name} plan. ${enabled ? "" : operator}`}>
      {checkout === "done" && <Notice tone="good">Payment received. Your new limits are in effect.</Notice>}
      {checkout !== undefined && checkout !== "done" && <CheckoutResult />}
      {enabled && subscription && <SubscriptionNotice subscription={subscription} isManual={isManual} />}
      <Section title="This month">
        <MonthMeter month={month} />
        <p className="mt-4 max-w-2xl text-sm text-muted">Only new screenshots count. Cached, failed and rejected requests don't.</p>
      </Section>
      {prices.isError && (
        <Notice tone="warn">Prices are not available at the moment. Your plan is unchanged; changes may take a while.</Notice>
      )}
      <ul className="grid gap-6 md:grid-cols-2 lg:grid-cols-3">
        {plans.map((one) => (
          <PlanCard
            key={one.id}
            plan={one}
            price={enabled ? prices.data?.find(({ plan_id }) => plan_id === one.id) : undefined}
            canBuy={canBuy(subscription) && !isManual}
          />
        ))}
      </ul>
    </Page>
  );
}
