/** Administration: changes a plan's name, limits and product. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import type { AdminPlan } from "../api/types.ts";
import { announce } from "../shell/announcer.tsx";
import { Dialog, DialogButtons } from "../ui/dialog.tsx";
import { TextField } from "../ui/form/field.tsx";
import { Form, textOf } from "../ui/form/form.tsx";

/** An empty field means null. */
const numberOf = (values: FormData, name: string) => (textOf(values, name) === "" ? null : Number(textOf(values, name)));

export function EditPlan({ plan, onClose }: { plan: AdminPlan; onClose: () => void }) {
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: (body: Record<string, unknown>) => call(`/v1/admin/plans/${encodeURIComponent(plan.id)}`, { method: "PATCH", body }),
    onSuccess: async () => {
      announce("Plan saved");
      onClose();
      await refresh(queries, "admin", "account", "plans");
    },
  });
  const submit = (values: FormData) =>
    save.mutate({
      name: textOf(values, "name"),
      requests_per_minute: numberOf(values, "requests_per_minute"),
      monthly_quota: numberOf(values, "monthly_quota"),
      max_keys: Number(textOf(values, "max_keys")),
      retention_days: Number(textOf(values, "retention_days")),
      billing_product_id: textOf(values, "billing_product_id").trim() || null,
    });
  return (
    <Dialog title={`Edit ${plan.name}`} onClose={onClose} firm>
      <Form
        fields={["name", "requests_per_minute", "monthly_quota", "max_keys", "retention_days", "billing_product_id"]}
        pending={save.isPending}
        error={save.error}
        onSubmit={submit}
      >
        <TextField label="Name" name="name" defaultValue={plan.name} maxLength={100} required />
        <div className="grid gap-5 sm:grid-cols-2">
          <TextField
            label="Requests per minute"
            name="requests_per_minute"
            type="number"
            min={1}
            defaultValue={plan.requests_per_minute ?? ""}
            hint="Leave empty for the service's limit."
          />
          <TextField
            label="Screenshots per month"
            name="monthly_quota"
            type="number"
            min={0}
            defaultValue={plan.monthly_quota ?? ""}
            hint="Leave empty for no limit."
          />
          <TextField label="Keys" name="max_keys" type="number" min={1} defaultValue={plan.max_keys} required />
          <TextField
            label="Days that screenshots are kept"
            name="retention_days"
            type="number"
            min={1}
            defaultValue={plan.retention_days}
            required
            hint="Applies to screenshots taken from now on."
          />
        </div>
        <TextField
          label="Product at the billing provider"
          name="billing_product_id"
          defaultValue={plan.billing_product_id ?? ""}
          autoComplete="off"
          maxLength={200}
          hint="The product's id; buying it grants this plan. The price is set at the provider."
        />
        <DialogButtons action="Save" pending={save.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
