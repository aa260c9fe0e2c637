/** Administration: creates a link, to be passed on, with which a user chooses a new password. */

import { useMutation } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import type { AdminUser } from "../api/types.ts";
import { CopyField } from "../ui/copy.tsx";
import { Dialog, DialogButtons } from "../ui/dialog.tsx";
import { Notice } from "../ui/notice.tsx";
import { OnceDialog } from "../ui/once-dialog.tsx";

export function ResetLink({ user, onClose }: { user: AdminUser; onClose: () => void }) {
  const create = useMutation({
    mutationFn: () => call<{ link: string }>(`/v1/admin/users/${user.id}/reset-link`, { method: "POST" }),
    gcTime: 0, // the link is discarded with the dialog
  });
  if (create.data)
    return (
      <OnceDialog title="Link to choose a new password" onClose={onClose}>
        <Notice tone="warn">Copy the link now and send it to {user.email}: it can't be shown again. It works once, within an hour.</Notice>
        <CopyField text={create.data.link} what="the link" />
      </OnceDialog>
    );
  return (
    <Dialog title={`Reset the password of ${user.name}?`} onClose={onClose}>
      {create.error && <Notice tone="bad">{create.error.message}</Notice>}
      <p className="text-sm">
        This creates a link with which {user.email} can choose a new password. The current one works until then; afterwards all sessions
        end.
      </p>
      <DialogButtons action="Create link" pending={create.isPending} onAction={() => create.mutate()} onClose={onClose} />
    </Dialog>
  );
}
