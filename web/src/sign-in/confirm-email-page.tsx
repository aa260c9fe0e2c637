/** Confirms an e-mail address, with the token of a link. A button, because programs that scan mail open its links. */

import { useMutation } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { call } from "../api/client.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { SignedOutPage } from "./signed-out-page.tsx";

const other = { question: "The link has expired?", label: "Sign in to get a new one", page: "/sign-in" } as const;

export function ConfirmEmailPage() {
  const { token = "" } = useSearch({ from: "/signed-out/confirm-email" });
  const confirm = useMutation({ mutationFn: () => call("/v1/auth/email/confirm", { method: "POST", body: { token } }) });
  if (confirm.isSuccess)
    return (
      <SignedOutPage title="Your address is confirmed" other={other} isRefused>
        <ButtonLink look="primary" to="/sign-in">
          Sign in
        </ButtonLink>
      </SignedOutPage>
    );
  return (
    <SignedOutPage title="Confirm your e-mail address" other={other} isRefused>
      {confirm.error && <Notice tone="bad">{confirm.error.message}</Notice>}
      <p className="text-muted">One click confirms that the address is yours.</p>
      <Button look="primary" pending={confirm.isPending} onClick={() => confirm.mutate()}>
        Confirm address
      </Button>
    </SignedOutPage>
  );
}
