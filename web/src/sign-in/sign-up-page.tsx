/** Sign up. */

import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Form, textOf } from "../ui/form.tsx";
import { useEnter } from "./enter.ts";
import { StrangerPage } from "./stranger-page.tsx";

export function SignUpPage() {
  const enter = useEnter("/v1/auth/sign-up");
  return (
    <StrangerPage title="Create an account" other={{ question: "You have one?", words: "Sign in", page: "/sign-in" }}>
      <Form
        fields={["name", "email", "password"]}
        pending={enter.isPending}
        error={enter.error}
        onSubmit={(values) =>
          enter.mutate({ name: textOf(values, "name"), email: textOf(values, "email"), password: textOf(values, "password") })
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
        <Button type="submit" look="primary" pending={enter.isPending}>
          Create account
        </Button>
      </Form>
    </StrangerPage>
  );
}
