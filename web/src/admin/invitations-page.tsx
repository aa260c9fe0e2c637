/** Administration: listing and revoking invitations. */

import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { adminInvitationsQuery } from "../api/admin-queries.ts";
import { call } from "../api/client.ts";
import { methodsQuery } from "../api/queries.ts";
import type { Invitation } from "../api/types.ts";
import { announce } from "../shell/announcer.tsx";
import { Ago } from "../ui/ago.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { NewInvitation } from "./new-invitation.tsx";

const states: Record<Invitation["state"], [tone: Parameters<typeof Badge>[0]["tone"], label: string]> = {
  pending: ["warn", "Pending"],
  used: ["good", "Used"],
  expired: ["plain", "Expired"],
  revoked: ["bad", "Revoked"],
};

const rules = {
  open: "Anyone may sign up; an invitation can grant a plan.",
  invite: "Only invited people may sign up.",
  closed: "Sign-up is closed: create accounts on the command line.",
};

export function InvitationsPage() {
  const invitations = useSuspenseQuery(adminInvitationsQuery).data;
  const { mode, domains } = useSuspenseQuery(methodsQuery).data.sign_up;
  const [creating, setCreating] = useState(false);
  return (
    <Page
      title="Invitations"
      about={`${rules[mode]}${domains.length > 0 ? ` E-mail addresses at ${domains.join(" or ")} need no invitation.` : ""}`}
      actions={
        mode !== "closed" && (
          <Button look="primary" onClick={() => setCreating(true)}>
            Create invitation
          </Button>
        )
      }
    >
      {invitations.length > 0 && (
        <ul className="divide-y divide-line overflow-hidden rounded-2xl border border-line bg-surface">
          {invitations.map((invitation) => (
            <Row key={invitation.id} invitation={invitation} />
          ))}
        </ul>
      )}
      {creating && <NewInvitation onClose={() => setCreating(false)} />}
    </Page>
  );
}

function Row({ invitation: { id, email, plan_id, state, used_by, expires_at } }: { invitation: Invitation }) {
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => call(`/v1/admin/invitations/${id}`, { method: "DELETE" }),
    onSuccess: () => {
      announce("Invitation revoked");
      return queries.invalidateQueries({ queryKey: ["admin", "invitations"] });
    },
  });
  const [tone, label] = states[state];
  return (
    <li className="grid items-center gap-x-6 gap-y-1 px-5 py-3 text-sm sm:grid-cols-[minmax(0,3fr)_minmax(0,1fr)_minmax(0,1fr)_8rem]">
      <span className="flex min-w-0 items-center gap-2">
        <span className="truncate font-medium">{used_by ?? email ?? "Anyone with the link"}</span>
        <Badge tone={tone}>{label}</Badge>
      </span>
      <span className="flex gap-4 sm:contents">
        <span>{plan_id ?? "free"}</span>
        <span className="text-muted">
          {state === "pending" && (
            <>
              expires <Ago time={expires_at} />
            </>
          )}
        </span>
      </span>
      <span className="sm:text-right">
        {state === "pending" && (
          <Button pending={revoke.isPending} onClick={() => revoke.mutate()}>
            Revoke
          </Button>
        )}
      </span>
      {revoke.error && <Notice tone="bad">{revoke.error.message}</Notice>}
    </li>
  );
}
