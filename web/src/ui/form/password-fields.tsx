/** Fields for the password of an account, and for a new one. */

import { TextField } from "./field.tsx";

export function CurrentPasswordField() {
  return <TextField label="Current password" name="current_password" type="password" autoComplete="current-password" required />;
}

/** @param hint in addition to the required length. */
export function NewPasswordField({ label = "New password", name, hint = "" }: { label?: string; name: string; hint?: string }) {
  return (
    <TextField
      label={label}
      name={name}
      type="password"
      autoComplete="new-password"
      minLength={10}
      maxLength={128}
      required
      hint={`At least 10 characters. ${hint}`.trim()}
    />
  );
}
