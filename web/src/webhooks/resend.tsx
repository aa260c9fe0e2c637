/** Sends a delivery again. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import type { WebhookDelivery } from "../api/types.ts";
import { announce } from "../shell/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";

/**
 * The request includes the number of attempts so far, so that a second click sends nothing if the page doesn't yet show the first one's
 * result.
 */
export function Resend({ delivery: { id, state, tries } }: { delivery: WebhookDelivery }) {
  const queries = useQueryClient();
  const resend = useMutation({
    mutationFn: () => call(`/v1/account/webhooks/deliveries/${id}/resend`, { method: "POST", body: { after_tries: tries } }),
    onSuccess: () => {
      announce("Sending again");
      return refresh(queries, "webhooks");
    },
    onError: ({ message }) => announce(message),
  });
  if (state === "pending" && tries === 0) return null;
  return (
    <Button pending={resend.isPending} onClick={() => resend.mutate()}>
      <Icon name="rotate" />
      {state === "pending" ? "Send now" : "Send again"}
    </Button>
  );
}
