/** Administration: subscriptions, the latest webhook, and rechecking with the billing provider. */

import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { adminBillingQuery } from "../api/admin-queries.ts";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import type { AdminBilling } from "../api/types.ts";
import { moneyOf } from "../plan/money.ts";
import { wordsFor } from "../plan/words.ts";
import { announce } from "../shell/announcer.tsx";
import { Ago } from "../ui/ago.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { Fact, Facts, Section } from "../ui/page.tsx";

export function BillingOverview() {
  const { enabled, environment, accepts_webhooks, last_webhook_at, last_comparison_at, subscribers } =
    useSuspenseQuery(adminBillingQuery).data;
  if (!enabled) return null;
  return (
    <Section title="Billing" aside={environment === "sandbox" ? "Sandbox: no real money" : undefined}>
      <Facts>
        <Fact name="Last webhook">
          {accepts_webhooks ? <Ago time={last_webhook_at} /> : "not accepted: BILLING_WEBHOOK_SECRET is not set"}
        </Fact>
        <Fact name="All subscriptions checked">
          <Ago time={last_comparison_at} />
        </Fact>
      </Facts>
      {subscribers.length === 0 ? (
        <p className="mt-4 text-sm text-muted">No one has bought a plan yet.</p>
      ) : (
        <ul className="mt-4 divide-y divide-line border-t border-line">
          {subscribers.map((one) => (
            <Row key={one.user_id} subscriber={one} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function Row({ subscriber }: { subscriber: AdminBilling["subscribers"][number] }) {
  const { user_id, name, email, current_plan_id, current_plan_source, subscription } = subscriber;
  const queries = useQueryClient();
  const check = useMutation({
    mutationFn: () => call(`/v1/admin/users/${user_id}/billing/check`, { method: "POST" }),
    onSuccess: async () => {
      await refresh(queries, "admin");
      announce(`Checked ${name}`);
    },
  });
  const { tone, label } = wordsFor(subscription);
  const { amount, currency, period, plan_name } = subscription;
  return (
    <li className="grid items-center gap-x-6 gap-y-1 py-3 text-sm sm:grid-cols-[minmax(0,3fr)_minmax(0,2fr)_minmax(0,2fr)_8rem]">
      <div className="min-w-0">
        <span className="flex items-center gap-2">
          <Link to="/admin/users/$id" params={{ id: user_id }} className="truncate font-medium underline">
            {name}
          </Link>
          <Badge tone={tone}>{label}</Badge>
        </span>
        <span className="block truncate text-muted">{email}</span>
      </div>
      <p>
        {plan_name ?? "a product not linked to any plan"}
        {amount !== null && currency !== null && <span className="text-muted">{`, ${moneyOf(amount, currency)} a ${period}`}</span>}
      </p>
      <p className="text-muted">
        {current_plan_source === "manual" ? `${current_plan_id}, set manually` : `on ${current_plan_id}`}, checked{" "}
        <Ago time={subscription.checked_at} />
      </p>
      <span className="sm:text-right">
        <Button pending={check.isPending} onClick={() => check.mutate()} aria-label={`Check now: ${name}`}>
          Check now
        </Button>
      </span>
      {check.error && <Notice tone="bad">{check.error.message}</Notice>}
    </li>
  );
}
