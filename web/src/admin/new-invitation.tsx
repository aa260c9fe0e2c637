/** Administration: creates an invitation and shows its link once. */

import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { adminPlansQuery } from "../api/admin-queries.ts";
import { call } from "../api/client.ts";
import { CopyField } from "../ui/copy.tsx";
import { Dialog, DialogButtons } from "../ui/dialog.tsx";
import { SelectField, TextField } from "../ui/form/field.tsx";
import { Form, textOf } from "../ui/form/form.tsx";
import { Notice } from "../ui/notice.tsx";
import { OnceDialog } from "../ui/once-dialog.tsx";

export function NewInvitation({ onClose }: { onClose: () => void }) {
  const plans = useSuspenseQuery(adminPlansQuery).data;
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: (body: Record<string, unknown>) =>
      call<{ link: string; mailed: boolean }>("/v1/admin/invitations", { method: "POST", body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["admin", "invitations"] }),
    gcTime: 0, // the link is discarded with the dialog
  });
  if (create.data) return <Link {...create.data} onClose={onClose} />;
  return (
    <Dialog title="Create invitation" onClose={onClose} firm>
      <Form
        fields={["email", "plan_id", "expires_in_days"]}
        pending={create.isPending}
        error={create.error}
        onSubmit={(values) =>
          create.mutate({
            email: textOf(values, "email") || undefined,
            plan_id: textOf(values, "plan_id"),
            expires_in_days: Number(textOf(values, "expires_in_days")),
          })
        }
      >
        <TextField label="E-mail" name="email" type="email" autoComplete="off" hint="Leave empty to let anyone with the link sign up." />
        <SelectField label="Plan" name="plan_id">
          {plans.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <TextField label="Days until it expires" name="expires_in_days" type="number" min={1} max={90} defaultValue={7} required />
        <DialogButtons action="Create invitation" pending={create.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}

function Link({ link, mailed, onClose }: { link: string; mailed: boolean; onClose: () => void }) {
  return (
    <OnceDialog title="Invitation link" onClose={onClose}>
      <Notice tone="warn">
        {mailed
          ? "The link has been mailed. Copy it now in case the mail doesn't arrive: it can't be shown again. It works once."
          : "Copy the link now and send it yourself: it can't be shown again. It works once."}
      </Notice>
      <CopyField text={link} what="the link" />
    </OnceDialog>
  );
}
