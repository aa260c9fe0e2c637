/** Removes the authenticator app, once the user has confirmed with the password. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { accountQuery } from "../api/queries.ts";
import { announce } from "../shell/announcer.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { PasswordStep } from "./password-step.tsx";

export function RemoveApp({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: (password: string) => call("/v1/account/second-factor/remove", { method: "POST", body: { current_password: password } }),
    onSuccess: () => {
      announce("The second factor is off");
      onClose();
      return queries.invalidateQueries({ queryKey: accountQuery.queryKey });
    },
  });
  return (
    <Dialog title="Remove the second factor?" onClose={onClose}>
      <p className="text-muted">Your password alone will be enough to sign in. The recovery codes stop working.</p>
      <PasswordStep action="Remove" pending={remove.isPending} error={remove.error} onSubmit={remove.mutate} onClose={onClose} />
    </Dialog>
  );
}
