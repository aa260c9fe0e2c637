/** Adds a passkey: asks for its name and the current password, then opens the browser's own dialog. */

import { type PublicKeyCredentialCreationOptionsJSON, startRegistration } from "@simplewebauthn/browser";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { passkeysQuery } from "../api/queries.ts";
import type { User } from "../api/types.ts";
import { announce } from "../shell/announcer.tsx";
import { Dialog, DialogButtons } from "../ui/dialog.tsx";
import { TextField } from "../ui/form/field.tsx";
import { Form, textOf } from "../ui/form/form.tsx";
import { CurrentPasswordField } from "../ui/form/password-fields.tsx";
import { deviceOf } from "./device.ts";

export function NewPasskey({ user, onClose }: { user: User; onClose: () => void }) {
  const queries = useQueryClient();
  const add = useMutation({
    mutationFn: async ({ name, ...proof }: { name: string; current_password?: string }) => {
      const { options } = await call<{ options: PublicKeyCredentialCreationOptionsJSON }>("/v1/account/passkeys/challenge", {
        method: "POST",
        body: proof,
      });
      const response = await startRegistration({ optionsJSON: options });
      await call("/v1/account/passkeys", { method: "POST", body: { name, response } });
    },
    onSuccess: () => {
      announce("Passkey added");
      onClose();
      return queries.invalidateQueries({ queryKey: passkeysQuery.queryKey });
    },
  });
  return (
    <Dialog title="Add a passkey" onClose={onClose}>
      <Form
        fields={["name", "current_password"]}
        pending={add.isPending}
        error={add.error}
        onSubmit={(values) =>
          add.mutate({
            name: textOf(values, "name"),
            ...(user.has_password ? { current_password: textOf(values, "current_password") } : {}),
          })
        }
      >
        <TextField
          label="Name"
          name="name"
          maxLength={100}
          defaultValue={deviceOf(navigator.userAgent)}
          required
          hint="Helps you tell your passkeys apart."
        />
        {user.has_password && <CurrentPasswordField />}
        <DialogButtons action="Continue" pending={add.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
