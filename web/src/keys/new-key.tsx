/** Creates a key and shows it once. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import type { Key } from "../api/types.ts";
import { Dialog, DialogButtons } from "../ui/dialog.tsx";
import { Form } from "../ui/form/form.tsx";
import { emptyDraft, rulesOf } from "./rules.ts";
import { RulesFields, ruleFields } from "./rules-fields.tsx";
import { Secret } from "./secret.tsx";

export function NewKey({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState(emptyDraft);
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: () => call<{ key: Key; secret: string }>("/v1/account/keys", { method: "POST", body: rulesOf(draft) }),
    onSuccess: () => refresh(queries, "keys", "account"),
    gcTime: 0, // the secret is discarded with the dialog
  });
  if (create.data) return <Secret title="Your new key" apiKey={create.data.key} secret={create.data.secret} onClose={onClose} />;
  return (
    <Dialog title="Create key" onClose={onClose} firm>
      <Form fields={ruleFields} pending={create.isPending} error={create.error} onSubmit={() => create.mutate()}>
        <RulesFields draft={draft} onChange={setDraft} />
        <DialogButtons action="Create key" pending={create.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
