/** Administration: the plans and their limits. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { adminPlansQuery } from "../api/admin-queries.ts";
import type { AdminPlan } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import { count, counted } from "../ui/format.ts";
import { Fact, Facts, Page, Section } from "../ui/page.tsx";
import { EditPlan } from "./edit-plan.tsx";

export function PlansPage() {
  const plans = useSuspenseQuery(adminPlansQuery).data;
  const [editing, edit] = useState<AdminPlan>();
  return (
    <Page title="Plans" about="Limits apply immediately to all accounts on a plan, except those with limits of their own.">
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-3">
        {plans.map((plan) => (
          <PlanCard key={plan.id} plan={plan} onEdit={() => edit(plan)} />
        ))}
      </div>
      {editing && <EditPlan key={editing.id} plan={editing} onClose={() => edit(undefined)} />}
    </Page>
  );
}

function PlanCard({ plan, onEdit }: { plan: AdminPlan; onEdit: () => void }) {
  const { requests, window_seconds } = plan.rate_limit;
  return (
    <Section title={plan.name} aside={plan.is_public ? undefined : "not public"}>
      <Facts>
        <Fact name="Requests">
          {count(requests)} per {window_seconds === 60 ? "minute" : counted(window_seconds, "second")}
        </Fact>
        <Fact name="Screenshots">{plan.monthly_quota === null ? "unlimited" : `${count(plan.monthly_quota)} per month`}</Fact>
        <Fact name="Keys">{count(plan.max_keys)}</Fact>
        <Fact name="Kept for">{counted(plan.retention_days, "day")}</Fact>
        <Fact name="Product">{plan.billing_product_id ?? "none"}</Fact>
        <Fact name="Accounts">
          <Link to="/admin/users" search={{ plan_id: plan.id }} className="text-accent underline underline-offset-4">
            {counted(plan.users, "account")}
          </Link>
        </Fact>
      </Facts>
      <Button className="mt-5" onClick={onEdit} aria-label={`Edit ${plan.name}`}>
        Edit
      </Button>
    </Section>
  );
}
