/** The sign-up page. */

import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Form, textOf } from "../ui/form.tsx";
import { SignedOutPage } from "./signed-out-page.tsx";
import { useSignIn } from "./use-sign-in.ts";

export function SignUpPage() {
  const signUp = useSignIn("/v1/auth/sign-up");
  return (
    <SignedOutPage title="Create an account" other={{ question: "Already have an account?", label: "Sign in", page: "/sign-in" }}>
      <Form
        fields={["name", "email", "password"]}
        pending={signUp.isPending}
        error={signUp.error}
        onSubmit={(values) =>
          signUp.mutate({ name: textOf(values, "name"), email: textOf(values, "email"), password: textOf(values, "password") })
        }
      >
        <TextField label="Name" name="name" autoComplete="name" maxLength={100} required />
        <TextField label="E-mail" name="email" type="email" autoComplete="username" required />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={10}
          maxLength={128}
          required
          hint="At least 10 characters."
        />
        <Button type="submit" look="primary" pending={signUp.isPending}>
          Create account
        </Button>
      </Form>
    </SignedOutPage>
  );
}
