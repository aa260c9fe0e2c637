/** Sends a delivery again. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type MouseEvent, useRef } from "react";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import type { WebhookDelivery } from "../api/types.ts";
import { announce } from "../shell/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";

/**
 * The request includes the number of attempts so far, so that a second click sends nothing if the page doesn't yet show the first one's
 * result. All clicks of a double click have one idempotency key: on a busy machine, the second may come after that result.
 */
export function Resend({ delivery: { id, state, tries } }: { delivery: WebhookDelivery }) {
  const queries = useQueryClient();
  const resend = useMutation({
    mutationFn: (idempotencyKey: string) =>
      call(`/v1/account/webhooks/deliveries/${id}/resend`, { method: "POST", body: { after_tries: tries }, idempotencyKey }),
    onSuccess: () => {
      announce("Sending again");
      return refresh(queries, "webhooks");
    },
    onError: ({ message }) => announce(message),
  });
  const gesture = useRef("");
  const click = ({ detail }: MouseEvent) => {
    const isFirst = detail <= 1; // 0 from the keyboard
    if (isFirst) gesture.current = String(Date.now());
    if (gesture.current) resend.mutate(gesture.current);
  };
  if (state === "pending" && tries === 0) return null;
  return (
    <Button pending={resend.isPending} onClick={click}>
      <Icon name="rotate" />
      {state === "pending" ? "Send now" : "Send again"}
    </Button>
  );
}
