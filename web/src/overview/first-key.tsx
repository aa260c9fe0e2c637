/** Creates an account's first key with one click. The key has no restrictions; they can be added on its page. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Notice } from "../ui/notice.tsx";

export function FirstKey({ onCreated }: { onCreated: (secret: string) => void }) {
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: () => call<{ secret: string }>("/v1/account/keys", { method: "POST", body: { name: "First key" } }),
    onSuccess: async ({ secret }) => {
      onCreated(secret);
      await refresh(queries, "keys", "account");
    },
    gcTime: 0,
  });
  return (
    <div className="grid justify-items-start gap-3">
      {create.error && <Notice tone="bad">{create.error.message}</Notice>}
      <p className="text-sm text-muted">It works anywhere; restrict it to your websites later.</p>
      <Button look="primary" pending={create.isPending} onClick={() => create.mutate()}>
        <Icon name="plus" />
        Create key
      </Button>
    </div>
  );
}
