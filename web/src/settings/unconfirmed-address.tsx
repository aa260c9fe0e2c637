/** Says that the e-mail address is not confirmed, if it could be confirmed by mail. */

import { useMutation, useSuspenseQuery } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { methodsQuery } from "../api/queries.ts";
import { announce } from "../shell/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";

export function UnconfirmedAddress() {
  const { mail } = useSuspenseQuery(methodsQuery).data;
  const send = useMutation({
    mutationFn: () => call("/v1/account/email/confirmation", { method: "POST" }),
    onSuccess: () => announce("Mail sent"),
  });
  if (!mail) return null;
  return (
    <div className="grid gap-3">
      {send.error && <Notice tone="bad">{send.error.message}</Notice>}
      <Notice tone="warn">
        {send.isSuccess
          ? "Check your mail and open the link."
          : "This address is not confirmed. Until it is, you can't sign in again and won't get any notices."}
      </Notice>
      <Button pending={send.isPending} onClick={() => send.mutate()} className="justify-self-start">
        {send.isSuccess ? "Send another mail" : "Send a confirmation mail"}
      </Button>
    </div>
  );
}
