/** Deletes the account, after asking for the password. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../api/client.ts";
import type { User } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { Form, textOf } from "../ui/form.tsx";
import { Section } from "../ui/page.tsx";

export function DeleteAccount({ user }: { user: User }) {
  const [asking, ask] = useState(false);
  return (
    <Section title="Delete this account">
      <p className="mb-4 text-muted">Your keys stop working at once, and all pictures are removed. This can't be undone.</p>
      <Button look="danger" onClick={() => ask(true)}>
        Delete account
      </Button>
      {asking && <Asking user={user} onClose={() => ask(false)} />}
    </Section>
  );
}

function Asking({ user, onClose }: { user: User; onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const proof = user.has_password ? "password" : "email";
  const remove = useMutation({
    mutationFn: (value: string) => call("/v1/account/delete", { method: "POST", body: { [proof]: value } }),
    onSuccess: async () => {
      await navigate({ to: "/sign-in" });
      queries.clear();
    },
  });
  return (
    <Dialog title="Delete your account?" onClose={onClose}>
      <Form fields={[proof]} pending={remove.isPending} error={remove.error} onSubmit={(values) => remove.mutate(textOf(values, proof))}>
        <p className="text-muted">Keys, pictures, usage and your name and address are removed for good.</p>
        {user.has_password ? (
          <TextField label="Your password" name="password" type="password" autoComplete="current-password" required />
        ) : (
          <TextField label={`Type ${user.email}`} name="email" type="email" autoComplete="off" required />
        )}
        <div className="flex flex-wrap justify-end gap-3">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" pending={remove.isPending}>
            Delete for good
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
