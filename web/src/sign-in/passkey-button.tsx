/** Signs in with a passkey, in the browser's own dialog. */

import { type PublicKeyCredentialRequestOptionsJSON, startAuthentication, WebAuthnError } from "@simplewebauthn/browser";
import { useMutation } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import type { User } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { useEnter } from "./use-sign-in.ts";

export function PasskeyButton() {
  const enter = useEnter();
  const signIn = useMutation({
    mutationFn: async () => {
      const { options } = await call<{ options: PublicKeyCredentialRequestOptionsJSON }>("/v1/auth/passkey/challenge", { method: "POST" });
      const response = await startAuthentication({ optionsJSON: options });
      return await call<{ user: User }>("/v1/auth/passkey", { method: "POST", body: { response } });
    },
    onSuccess: enter,
  });
  return (
    <>
      {signIn.error && <Notice tone="bad">{messageOf(signIn.error)}</Notice>}
      <Button pending={signIn.isPending} onClick={() => signIn.mutate()}>
        Sign in with a passkey
      </Button>
    </>
  );
}

/** Browsers don't distinguish between a canceled dialog and a device without a passkey. */
function messageOf(error: Error): string {
  const isCanceled = error.name === "NotAllowedError" || error instanceof WebAuthnError;
  return isCanceled ? "No passkey was used. Try again, or sign in with your password." : error.message;
}
