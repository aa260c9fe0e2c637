/** Chooses a new password, with a link's token. */

import { useMutation } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { call } from "../api/client.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Form, textOf } from "../ui/form/form.tsx";
import { NewPasswordField } from "../ui/form/password-fields.tsx";
import { SignedOutPage } from "./signed-out-page.tsx";

const other = { question: "The link doesn't work?", label: "Ask for a new one", page: "/forgot-password" } as const;

export function ResetPasswordPage() {
  const { token = "" } = useSearch({ from: "/signed-out/reset-password" });
  const reset = useMutation({
    mutationFn: (password: string) => call("/v1/auth/password/reset", { method: "POST", body: { token, password } }),
  });
  if (reset.isSuccess)
    return (
      <SignedOutPage title="Your password is changed" other={other} isRefused>
        <p className="text-muted">You have been signed out everywhere.</p>
        <ButtonLink look="primary" to="/sign-in">
          Sign in
        </ButtonLink>
      </SignedOutPage>
    );
  return (
    <SignedOutPage title="Choose a new password" other={other} isRefused>
      <Form
        fields={["password"]}
        pending={reset.isPending}
        error={reset.error}
        onSubmit={(values) => reset.mutate(textOf(values, "password"))}
      >
        <NewPasswordField name="password" hint="This signs you out everywhere." />
        <Button type="submit" look="primary" pending={reset.isPending}>
          Change password
        </Button>
      </Form>
    </SignedOutPage>
  );
}
