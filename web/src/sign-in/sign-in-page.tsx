/** The sign-in page. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { methodsQuery } from "../api/queries.ts";
import { Button } from "../ui/button.tsx";
import { CheckField, TextField } from "../ui/form/field.tsx";
import { Form, textOf } from "../ui/form/form.tsx";
import { CodeStep } from "./code-step.tsx";
import { PasskeyButton } from "./passkey-button.tsx";
import { SignedOutPage } from "./signed-out-page.tsx";
import { useSignIn } from "./use-sign-in.ts";

const other = { question: "No account yet?", label: "Sign up", page: "/sign-up" } as const;

export function SignInPage() {
  const signIn = useSignIn("/v1/auth/sign-in");
  const { passkeys } = useSuspenseQuery(methodsQuery).data;
  if (signIn.data?.user === null)
    return (
      <SignedOutPage title="Enter your code" other={other} isRefused>
        <CodeStep onStartAgain={signIn.reset} />
      </SignedOutPage>
    );
  return (
    <SignedOutPage title="Sign in" other={other}>
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
      {passkeys && <PasskeyButton />}
    </SignedOutPage>
  );
}
