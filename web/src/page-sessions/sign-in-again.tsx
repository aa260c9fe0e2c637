/** Signs a session in again by its own steps. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import { announce } from "../shell/announcer.tsx";
import { Dialog, DialogButtons } from "../ui/dialog.tsx";
import { Notice } from "../ui/notice.tsx";

export function SignInAgain({ name, onClose }: { name: string; onClose: () => void }) {
  const queries = useQueryClient();
  const signIn = useMutation({
    mutationFn: () => call(`/v1/account/page-sessions/${name}/sign-in`, { method: "POST" }),
    onSuccess: () => {
      onClose();
      announce("Signed in again");
    },
    onSettled: () => refresh(queries, "page-sessions"), // a failure is recorded as well
  });
  return (
    <Dialog title={`Sign in “${name}” again?`} onClose={onClose}>
      {signIn.error && <Notice tone="bad">{signIn.error.message}</Notice>}
      <p className="text-sm">
        Its steps run now, in a capture that counts as a screenshot. If they fail, the session keeps its cookies and storage.
      </p>
      <DialogButtons action="Sign in" pending={signIn.isPending} onAction={() => signIn.mutate()} onClose={onClose} />
    </Dialog>
  );
}
