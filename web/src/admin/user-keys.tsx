/** Administration: listing and revoking a user's keys. */

import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { adminUserKeysQuery } from "../api/admin-queries.ts";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import type { Key } from "../api/types.ts";
import { StateBadge } from "../keys/state-badge.tsx";
import { announce } from "../shell/announcer.tsx";
import { Ago } from "../ui/ago.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { Section } from "../ui/page.tsx";

export function UserKeys({ userId }: { userId: string }) {
  const keys = useSuspenseQuery(adminUserKeysQuery(userId)).data;
  const [revoking, setRevoking] = useState<Key>();
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: (key: Key) => call(`/v1/admin/users/${userId}/keys/${key.id}/revoke`, { method: "POST" }),
    onSuccess: () => {
      setRevoking(undefined);
      announce("Key revoked");
      return refresh(queries, "admin");
    },
  });
  return (
    <Section title="Keys">
      {keys.length === 0 && <p className="text-sm text-muted">No keys yet.</p>}
      <ul className="divide-y divide-line">
        {keys.map((key) => (
          <li key={key.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3 first:pt-0 last:pb-0">
            <div className="min-w-0">
              <p className="truncate font-medium">{key.name}</p>
              <p className="text-sm text-muted">
                <code className="font-mono text-[0.8125rem]">{key.hint}</code>, <Ago time={key.last_used_at} never="never used" />
              </p>
            </div>
            <div className="flex items-center gap-3">
              <StateBadge state={key.state} />
              {key.state !== "revoked" && (
                <Button onClick={() => setRevoking(key)} aria-label={`Revoke ${key.name} ${key.hint}`}>
                  Revoke
                </Button>
              )}
            </div>
          </li>
        ))}
      </ul>
      {revoking && (
        <Confirm
          title={`Revoke “${revoking.name}”?`}
          action="Revoke permanently"
          pending={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate(revoking)}
          onClose={() => setRevoking(undefined)}
        >
          <p>The user's key stops working immediately, everywhere. This can't be undone.</p>
        </Confirm>
      )}
    </Section>
  );
}
