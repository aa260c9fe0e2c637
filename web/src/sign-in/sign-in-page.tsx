/** Sign in. */

import { Button } from "../ui/button.tsx";
import { CheckField, TextField } from "../ui/field.tsx";
import { Form, textOf } from "../ui/form.tsx";
import { useEnter } from "./enter.ts";
import { StrangerPage } from "./stranger-page.tsx";

export function SignInPage() {
  const enter = useEnter("/v1/auth/sign-in");
  return (
    <StrangerPage title="Sign in" other={{ question: "No account yet?", words: "Sign up", page: "/sign-up" }}>
      <Form
        fields={["email", "password"]}
        pending={enter.isPending}
        error={enter.error}
        onSubmit={(values) =>
          enter.mutate({ email: textOf(values, "email"), password: textOf(values, "password"), remember: values.has("remember") })
        }
      >
        <TextField label="E-mail" name="email" type="email" autoComplete="username" required />
        <TextField label="Password" name="password" type="password" autoComplete="current-password" required />
        <CheckField label="Stay signed in on this device" name="remember" defaultChecked />
        <Button type="submit" look="primary" pending={enter.isPending}>
          Sign in
        </Button>
      </Form>
    </StrangerPage>
  );
}
