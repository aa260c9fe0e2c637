/** The form in a dialog that asks for the current password. */

import { DialogButtons } from "../ui/dialog.tsx";
import { Form, textOf } from "../ui/form/form.tsx";
import { CurrentPasswordField } from "../ui/form/password-fields.tsx";

interface PasswordStepProps {
  action: string;
  pending: boolean;
  error: Error | null;
  onSubmit: (password: string) => void;
  onClose: () => void;
}

export function PasswordStep({ action, pending, error, onSubmit, onClose }: PasswordStepProps) {
  return (
    <Form fields={["current_password"]} pending={pending} error={error} onSubmit={(values) => onSubmit(textOf(values, "current_password"))}>
      <CurrentPasswordField />
      <DialogButtons action={action} pending={pending} onClose={onClose} />
    </Form>
  );
}
