/** Deletes the account once the user has confirmed with the password, or with the e-mail address if there is no password. */

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client.ts";
import type { User } from "../api/types.ts";
import { useLeave } from "../api/use-leave.ts";
import { announce } from "../shell/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog, DialogButtons } from "../ui/dialog.tsx";
import { TextField } from "../ui/form/field.tsx";
import { Form, textOf } from "../ui/form/form.tsx";
import { Section } from "../ui/page.tsx";

export function DeleteAccount({ user }: { user: User }) {
  const [confirming, setConfirming] = useState(false);
  return (
    <Section title="Delete account" className="lg:col-span-2">
      <p className="mb-4 text-muted">Your keys stop working immediately, and all screenshots are deleted. This can't be undone.</p>
      <Button look="danger" onClick={() => setConfirming(true)}>
        Delete account
      </Button>
      {confirming && <ConfirmDeletion user={user} onClose={() => setConfirming(false)} />}
    </Section>
  );
}

function ConfirmDeletion({ user, onClose }: { user: User; onClose: () => void }) {
  const leave = useLeave();
  const proof = user.has_password ? "password" : "email";
  const remove = useMutation({
    mutationFn: (value: string) => call("/v1/account/delete", { method: "POST", body: { [proof]: value } }),
    onSuccess: async () => {
      await leave();
      announce("Your account has been deleted");
    },
  });
  return (
    <Dialog title="Delete your account?" onClose={onClose}>
      <Form fields={[proof]} pending={remove.isPending} error={remove.error} onSubmit={(values) => remove.mutate(textOf(values, proof))}>
        <p className="text-muted">Your keys, screenshots, usage, name and e-mail address will be permanently deleted.</p>
        {user.has_password ? (
          <TextField label="Password" name="password" type="password" autoComplete="current-password" required />
        ) : (
          <TextField label={`Type ${user.email} to confirm`} name="email" type="email" autoComplete="off" required />
        )}
        <DialogButtons action="Delete permanently" look="danger" pending={remove.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
