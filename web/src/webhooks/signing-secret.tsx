/** The secret that signs webhooks: shown once, and rotated. */

import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import { webhooksQuery } from "../api/webhook-queries.ts";
import { Button } from "../ui/button.tsx";
import { CopyField } from "../ui/copy.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { dateOf, timeOf } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { Notice } from "../ui/notice.tsx";
import { OnceDialog } from "../ui/once-dialog.tsx";
import { Section } from "../ui/page.tsx";

export function SigningSecret() {
  const { secret } = useSuspenseQuery(webhooksQuery).data;
  const queries = useQueryClient();
  const [confirming, setConfirming] = useState(false);
  const get = useMutation({
    mutationFn: (path: string) => call<{ secret: string }>(`/v1/account/webhooks/${path}`, { method: "POST" }),
    onSuccess: () => {
      setConfirming(false);
      return refresh(queries, "webhooks");
    },
    gcTime: 0, // the secret is discarded with the dialog
  });
  return (
    <Section title="Signing secret">
      <div className="grid justify-items-start gap-4">
        {get.error && !confirming && <Notice tone="bad">{get.error.message}</Notice>}
        <p className="text-sm text-muted">
          {secret?.shown
            ? `Created on ${dateOf(secret.created_at)}. It can't be shown again: rotate it if it is lost or has leaked.`
            : "One secret signs all webhooks of your account. It is shown only once: copy it to your receiver."}
          {secret?.previous_until && ` The previous one also signs until ${timeOf(secret.previous_until)}.`}
        </p>
        {secret?.shown ? (
          <Button onClick={() => setConfirming(true)} disabled={secret.previous_until !== null}>
            <Icon name="rotate" />
            Rotate
          </Button>
        ) : (
          <Button pending={get.isPending} onClick={() => get.mutate("secret")}>
            <Icon name="show" />
            Show secret
          </Button>
        )}
      </div>
      {confirming && (
        <Confirm
          title="Rotate the signing secret?"
          action="Rotate"
          pending={get.isPending}
          error={get.error}
          onConfirm={() => get.mutate("secret/rotate")}
          onClose={() => setConfirming(false)}
        >
          <p>
            You get a new secret. For 24 hours webhooks are signed with both, so that your receiver rejects nothing while you replace it
            there.
          </p>
        </Confirm>
      )}
      {get.data && (
        <OnceDialog title="Your signing secret" onClose={() => get.reset()}>
          <Notice tone="warn">Copy the secret now: it can't be shown again.</Notice>
          <CopyField text={get.data.secret} what="the secret" />
        </OnceDialog>
      )}
    </Section>
  );
}
