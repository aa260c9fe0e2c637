/** Administration: a user's plan, limits, keys and password, and disabling the account. */

import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { adminPlansQuery, adminUserQuery } from "../api/admin-queries.ts";
import { call } from "../api/client.ts";
import type { AdminUser } from "../api/types.ts";
import { announce } from "../shell/announcer.tsx";
import { Ago } from "../ui/ago.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { SelectField, TextField } from "../ui/form/field.tsx";
import { Form, textOf } from "../ui/form/form.tsx";
import { count, dateOf } from "../ui/format.ts";
import { Fact, Facts, Page, Section } from "../ui/page.tsx";
import { MonthMeter } from "../usage/month-meter.tsx";
import { ResetLink } from "./reset-link.tsx";
import { UserKeys } from "./user-keys.tsx";

export function AdminUserPage() {
  const { id } = useParams({ from: "/account/admin/admin/users/$id" });
  const user = useSuspenseQuery(adminUserQuery(id)).data;
  const [resetting, setResetting] = useState(false);
  return (
    <Page
      title={user.name}
      about={
        <span className="flex flex-wrap items-center gap-3">
          {user.email} {user.role === "admin" && <Badge tone="plain">Admin</Badge>} {user.disabled_at && <Badge tone="bad">Disabled</Badge>}
        </span>
      }
      actions={
        <>
          <ButtonLink to="/admin/activity" search={{ user_id: user.id }}>
            Activity
          </ButtonLink>
          <Button onClick={() => setResetting(true)}>Reset password</Button>
          <Access user={user} />
        </>
      }
    >
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-2">
        <PlanForm user={user} />
        <div className="grid gap-6">
          <Section title="This month">
            <MonthMeter month={user.month} />
            <div className="mt-6">
              <Facts>
                <Fact name="Active keys">{count(user.keys_active)}</Fact>
                <Fact name="Last used">
                  <Ago time={user.last_used_at} />
                </Fact>
                <Fact name="Signed up">{dateOf(user.created_at)}</Fact>
              </Facts>
            </div>
          </Section>
          <UserKeys userId={user.id} />
        </div>
      </div>
      {resetting && <ResetLink user={user} onClose={() => setResetting(false)} />}
    </Page>
  );
}

function PlanForm({ user }: { user: AdminUser }) {
  const plans = useSuspenseQuery(adminPlansQuery).data;
  const [planId, choose] = useState(user.plan_id);
  const plan = plans.find(({ id }) => id === planId);
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: (body: Record<string, unknown>) => call(`/v1/admin/users/${user.id}/plan`, { method: "PUT", body }),
    onSuccess: () => {
      announce("Plan saved");
      return queries.invalidateQueries({ queryKey: ["admin"] });
    },
  });
  const number = (text: string) => (text === "" ? null : Number(text));
  return (
    <Section title="Plan" aside={user.plan_source === "manual" ? "set manually" : undefined}>
      <Form
        fields={["plan_id", "rate_limit", "monthly_quota"]}
        pending={save.isPending}
        error={save.error}
        onSubmit={(values) =>
          save.mutate({
            plan_id: planId,
            ...(planId === "free"
              ? {}
              : { rate_limit: number(textOf(values, "rate_limit")), monthly_quota: number(textOf(values, "monthly_quota")) }),
          })
        }
      >
        <SelectField label="Plan" name="plan_id" value={planId} onChange={(event) => choose(event.target.value)}>
          {plans.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Requests per minute"
          name="rate_limit"
          type="number"
          min={1}
          disabled={planId === "free"}
          defaultValue={user.rate_limit_override ?? ""}
          placeholder={plan ? String(plan.rate_limit.requests) : ""}
          hint="Leave empty to use the plan's limit."
        />
        <TextField
          label="Screenshots per month"
          name="monthly_quota"
          type="number"
          min={0}
          disabled={planId === "free"}
          defaultValue={user.monthly_quota_override ?? ""}
          placeholder={plan?.monthly_quota == null ? "unlimited" : String(plan.monthly_quota)}
          hint="Leave empty to use the plan's limit."
        />
        <Button type="submit" look="primary" pending={save.isPending} className="justify-self-start">
          Save
        </Button>
      </Form>
    </Section>
  );
}

function Access({ user }: { user: AdminUser }) {
  const [confirming, setConfirming] = useState(false);
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (what: "disable" | "enable") => call(`/v1/admin/users/${user.id}/${what}`, { method: "POST" }),
    onSuccess: (_, what) => {
      setConfirming(false);
      announce(what === "disable" ? "Account disabled" : "Account enabled");
      return queries.invalidateQueries({ queryKey: ["admin"] });
    },
  });
  if (user.disabled_at)
    return (
      <Button pending={change.isPending} onClick={() => change.mutate("enable")}>
        Enable account
      </Button>
    );
  return (
    <>
      <Button look="danger" onClick={() => setConfirming(true)}>
        Disable account
      </Button>
      {confirming && (
        <Confirm
          title={`Disable ${user.name}?`}
          action="Disable"
          pending={change.isPending}
          error={change.error}
          onConfirm={() => change.mutate("disable")}
          onClose={() => setConfirming(false)}
        >
          <p>Their sessions end and their keys stop working immediately. Nothing is deleted; you can re-enable the account.</p>
        </Confirm>
      )}
    </>
  );
}
