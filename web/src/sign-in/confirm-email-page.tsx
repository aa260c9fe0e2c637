/**
 * Confirms an e-mail address with a link's token and the password: the link alone would also confirm an account that somebody else
 * created with the address.
 */

import { useMutation } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { call } from "../api/client.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { TextField } from "../ui/form/field.tsx";
import { Form, textOf } from "../ui/form/form.tsx";
import { SignedOutPage } from "./signed-out-page.tsx";

const other = { question: "The link has expired?", label: "Sign in to get a new one", page: "/sign-in" } as const;

export function ConfirmEmailPage() {
  const { token = "" } = useSearch({ from: "/signed-out/confirm-email" });
  const confirm = useMutation({
    mutationFn: (password: string) => call("/v1/auth/email/confirm", { method: "POST", body: { token, password } }),
  });
  if (confirm.isSuccess)
    return (
      <SignedOutPage title="Your address is confirmed" other={other} isRefused>
        <ButtonLink look="primary" to="/sign-in">
          Sign in
        </ButtonLink>
      </SignedOutPage>
    );
  return (
    <SignedOutPage title="Confirm your e-mail address" other={other} isRefused>
      <Form
        fields={["password"]}
        pending={confirm.isPending}
        error={confirm.error}
        onSubmit={(values) => confirm.mutate(textOf(values, "password"))}
      >
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          maxLength={128}
          required
          hint="The password you chose when you signed up. If you didn't sign up, close this page."
        />
        <Button type="submit" look="primary" pending={confirm.isPending}>
          Confirm address
        </Button>
      </Form>
    </SignedOutPage>
  );
}
