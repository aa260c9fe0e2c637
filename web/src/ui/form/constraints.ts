/** Problems that the browser finds in a form's fields, in the wording of the API's errors. */

import type { ErrorDetail } from "../../api/client.ts";

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export function invalidControls(form: HTMLFormElement): Control[] {
  return ([...form.elements] as Control[]).filter((control) => control.willValidate && !control.validity.valid);
}

/** The message starts with the field's name, which is replaced by the label. */
export function problemOf(control: Control): ErrorDetail {
  return { parameter: control.name, message: `${control.name} ${demand(control)}` };
}

function demand(control: Control): string {
  const { valueMissing, typeMismatch, tooShort, badInput } = control.validity;
  if (badInput) return "must be complete";
  if (valueMissing) return "is required";
  if (typeMismatch) return control.type === "email" ? "must be an address, such as ada@example.com" : "must be a URL";
  if (tooShort) return `must have at least ${(control as HTMLInputElement).minLength} characters`;
  return `is not valid: ${control.validationMessage}`;
}

/** Works even in a closed section. */
export function focusOn(control: Control): void {
  const section = control.closest("details");
  if (section) section.open = true;
  control.focus();
}
