/** The sign-in page. */

import { Link } from "@tanstack/react-router";
import { Button } from "../ui/button.tsx";
import { CheckField, TextField } from "../ui/field.tsx";
import { Form, textOf } from "../ui/form.tsx";
import { SignedOutPage } from "./signed-out-page.tsx";
import { useSignIn } from "./use-sign-in.ts";

export function SignInPage() {
  const signIn = useSignIn("/v1/auth/sign-in");
  return (
    <SignedOutPage title="Sign in" other={{ question: "No account yet?", label: "Sign up", page: "/sign-up" }}>
      <Form
        fields={["email", "password"]}
        pending={signIn.isPending}
        error={signIn.error}
        onSubmit={(values) =>
          signIn.mutate({ email: textOf(values, "email"), password: textOf(values, "password"), remember: values.has("remember") })
        }
      >
        <TextField label="E-mail" name="email" type="email" autoComplete="username" required />
        <TextField label="Password" name="password" type="password" autoComplete="current-password" required />
        <Link to="/forgot-password" className="-mt-2 justify-self-start text-sm text-accent underline underline-offset-4">
          Forgot your password?
        </Link>
        <CheckField label="Stay signed in on this device" name="remember" defaultChecked />
        <Button type="submit" look="primary" pending={signIn.isPending}>
          Sign in
        </Button>
      </Form>
    </SignedOutPage>
  );
}
