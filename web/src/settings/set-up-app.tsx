/** Sets up an authenticator app: password, QR code and first code, recovery codes. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client.ts";
import { accountQuery } from "../api/queries.ts";
import { announce } from "../shell/announcer.tsx";
import { Dialog, DialogButtons } from "../ui/dialog.tsx";
import { TextField } from "../ui/form/field.tsx";
import { Form, textOf } from "../ui/form/form.tsx";
import { OnceDialog } from "../ui/once-dialog.tsx";
import { QrCode } from "../ui/qr-code.tsx";
import { PasswordStep } from "./password-step.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";

interface NewApp {
  uri: string;
  recovery_codes: string[];
}

export function SetUpApp({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const [isConfirmed, setConfirmed] = useState(false);
  const start = useMutation({
    mutationFn: (password: string) => call<NewApp>("/v1/account/second-factor", { method: "POST", body: { current_password: password } }),
    gcTime: 0, // secret and codes are discarded along with the dialog
  });
  const confirm = useMutation({
    mutationFn: (code: string) => call("/v1/account/second-factor/confirm", { method: "POST", body: { code } }),
    onSuccess: () => {
      setConfirmed(true);
      announce("The second factor is on");
    },
  });
  const done = () => {
    onClose();
    void queries.invalidateQueries({ queryKey: accountQuery.queryKey });
  };
  if (!start.data)
    return (
      <Dialog title="Set up an authenticator app" onClose={onClose}>
        <PasswordStep action="Continue" pending={start.isPending} error={start.error} onSubmit={start.mutate} onClose={onClose} />
      </Dialog>
    );
  if (isConfirmed)
    return (
      <OnceDialog title="Your recovery codes" onClose={done}>
        <RecoveryCodes codes={start.data.recovery_codes} />
      </OnceDialog>
    );
  return (
    <Dialog title="Scan this code with your app" onClose={onClose} firm>
      <QrCode text={start.data.uri} label="QR code for the authenticator app" />
      <p className="text-sm text-muted">
        Or type this key into the app:{" "}
        <code data-secret className="font-mono break-all text-ink select-all">
          {new URL(start.data.uri).searchParams.get("secret")}
        </code>
      </p>
      <Form
        fields={["code"]}
        pending={confirm.isPending}
        error={confirm.error}
        onSubmit={(values) => confirm.mutate(textOf(values, "code"))}
      >
        <TextField
          label="Code"
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          hint="The six digits that the app shows."
        />
        <DialogButtons action="Turn on" pending={confirm.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
