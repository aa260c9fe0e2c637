/** Requests a link to choose a new password, or says who can create one. */

import { useMutation, useSuspenseQuery } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { methodsQuery } from "../api/queries.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/form/field.tsx";
import { Form, textOf } from "../ui/form/form.tsx";
import { CheckMail } from "./check-mail.tsx";
import { SignedOutPage } from "./signed-out-page.tsx";

const other = { question: "Remembered it?", label: "Sign in", page: "/sign-in" } as const;

export function ForgotPasswordPage() {
  const { mail } = useSuspenseQuery(methodsQuery).data;
  const request = useMutation({
    mutationFn: (email: string) => call("/v1/auth/password/forgot", { method: "POST", body: { email } }),
  });
  return (
    <SignedOutPage title="Forgot your password?" other={other} isRefused>
      {!mail && (
        <div className="grid gap-3 text-muted">
          <p>This service doesn't send e-mail. Ask its administrator for a link to choose a new password.</p>
          <p className="text-sm">
            Administrators create it on the command line: <code className="font-mono">user:reset-link</code>
          </p>
        </div>
      )}
      {mail && request.isSuccess && <CheckMail email={request.variables} />}
      {mail && !request.isSuccess && (
        <Form
          fields={["email"]}
          pending={request.isPending}
          error={request.error}
          onSubmit={(values) => request.mutate(textOf(values, "email"))}
        >
          <TextField
            label="E-mail"
            name="email"
            type="email"
            autoComplete="username"
            required
            hint="We'll send a link to this address if it has an account."
          />
          <Button type="submit" look="primary" pending={request.isPending}>
            Send link
          </Button>
        </Form>
      )}
    </SignedOutPage>
  );
}
