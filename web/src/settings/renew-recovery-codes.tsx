/** Replaces the recovery codes. */

import { useMutation } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { Dialog } from "../ui/dialog.tsx";
import { OnceDialog } from "../ui/once-dialog.tsx";
import { PasswordStep } from "./password-step.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";

export function RenewRecoveryCodes({ onClose }: { onClose: () => void }) {
  const renew = useMutation({
    mutationFn: (password: string) =>
      call<{ recovery_codes: string[] }>("/v1/account/second-factor/recovery-codes", {
        method: "POST",
        body: { current_password: password },
      }),
    gcTime: 0, // the codes are discarded with the dialog
  });
  if (renew.data)
    return (
      <OnceDialog title="New recovery codes" onClose={onClose}>
        <RecoveryCodes codes={renew.data.recovery_codes} />
      </OnceDialog>
    );
  return (
    <Dialog title="New recovery codes" onClose={onClose} firm>
      <p className="text-muted">Your current codes stop working.</p>
      <PasswordStep action="Generate new codes" pending={renew.isPending} error={renew.error} onSubmit={renew.mutate} onClose={onClose} />
    </Dialog>
  );
}
