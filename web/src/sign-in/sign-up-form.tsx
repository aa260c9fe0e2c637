/** The form that creates an account. */

import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/form/field.tsx";
import { Form, textOf } from "../ui/form/form.tsx";
import { NewPasswordField } from "../ui/form/password-fields.tsx";
import { CheckMail } from "./check-mail.tsx";
import { useSignIn } from "./use-sign-in.ts";

interface SignUpFormProps {
  invitation?: string;
  /** The only address that the invitation admits. */
  email?: string | undefined;
}

export function SignUpForm({ invitation, email }: SignUpFormProps) {
  const signUp = useSignIn("/v1/auth/sign-up");
  if (signUp.data?.user === null) return <CheckMail email={String(signUp.variables?.email)} />;
  return (
    <Form
      fields={["name", "email", "password"]}
      pending={signUp.isPending}
      error={signUp.error}
      onSubmit={(values) =>
        signUp.mutate({ name: textOf(values, "name"), email: textOf(values, "email"), password: textOf(values, "password"), invitation })
      }
    >
      <TextField label="Name" name="name" autoComplete="name" maxLength={100} required />
      <TextField
        label="E-mail"
        name="email"
        type="email"
        autoComplete="username"
        required
        {...(email === undefined ? {} : { defaultValue: email, readOnly: true, hint: "The invitation is for this address." })}
      />
      <NewPasswordField label="Password" name="password" />
      <Button type="submit" look="primary" pending={signUp.isPending}>
        Create account
      </Button>
    </Form>
  );
}
