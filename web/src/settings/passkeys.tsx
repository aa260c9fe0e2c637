/** The user's passkeys. */

import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client.ts";
import { passkeysQuery } from "../api/queries.ts";
import type { User } from "../api/types.ts";
import { announce } from "../shell/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { dateOf } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { NewPasskey } from "./new-passkey.tsx";

export function Passkeys({ user }: { user: User }) {
  const passkeys = useSuspenseQuery(passkeysQuery).data;
  const [adding, setAdding] = useState(false);
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: (id: string) => call(`/v1/account/passkeys/${id}`, { method: "DELETE" }),
    onSuccess: () => announce("Passkey removed"),
    onSettled: () => queries.invalidateQueries({ queryKey: passkeysQuery.queryKey }),
  });
  return (
    <Section title="Passkeys">
      <div className="grid gap-4">
        <p className="text-muted">Sign in with your fingerprint, face or PIN instead of a password and code.</p>
        {remove.error && <Notice tone="bad">{remove.error.message}</Notice>}
        {passkeys.length > 0 && (
          <ul className="grid divide-y divide-line">
            {passkeys.map(({ id, name, backed_up, created_at }) => (
              <li key={id} className="flex items-center justify-between gap-4 py-3">
                <div className="min-w-0">
                  <p className="truncate font-medium">{name}</p>
                  <p className="text-sm text-muted">
                    Added {dateOf(created_at)}, {backed_up ? "synchronized between devices" : "on one device only"}
                  </p>
                </div>
                <Button pending={remove.isPending} onClick={() => remove.mutate(id)} aria-label={`Remove ${name}`}>
                  Remove
                </Button>
              </li>
            ))}
          </ul>
        )}
        <Button onClick={() => setAdding(true)} className="justify-self-start">
          Add passkey
        </Button>
      </div>
      {adding && <NewPasskey user={user} onClose={() => setAdding(false)} />}
    </Section>
  );
}
