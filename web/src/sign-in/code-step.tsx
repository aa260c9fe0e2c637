/** The second step of a sign-in: a code from the authenticator app, or a recovery code. */

import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/form/field.tsx";
import { Form, textOf } from "../ui/form/form.tsx";
import { useSignIn } from "./use-sign-in.ts";

export function CodeStep({ onStartAgain }: { onStartAgain: () => void }) {
  const finish = useSignIn("/v1/auth/second-factor");
  const [isRecovery, setRecovery] = useState(false);
  return (
    <Form
      key={String(isRecovery)} // empties the field when the kind of code changes
      fields={["code"]}
      pending={finish.isPending}
      error={finish.error}
      onSubmit={(values) => finish.mutate({ code: textOf(values, "code") })}
    >
      {isRecovery ? (
        <TextField
          label="Recovery code"
          name="code"
          autoComplete="off"
          autoCapitalize="off"
          autoFocus
          required
          hint="Each code works once."
        />
      ) : (
        <TextField
          label="Code"
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          autoFocus
          required
          hint="The six digits that your authenticator app shows."
        />
      )}
      <Button type="submit" look="primary" pending={finish.isPending}>
        Sign in
      </Button>
      <div className="flex flex-wrap justify-between gap-4 text-sm text-accent">
        <button
          type="button"
          className="underline underline-offset-4"
          onClick={() => {
            finish.reset();
            setRecovery(!isRecovery);
          }}
        >
          {isRecovery ? "Use the authenticator app" : "Use a recovery code"}
        </button>
        <button type="button" className="underline underline-offset-4" onClick={onStartAgain}>
          Start again
        </button>
      </div>
      <p className="text-sm text-muted">Lost both? Ask an administrator of this service.</p>
    </Form>
  );
}
