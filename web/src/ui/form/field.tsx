/** Labeled form controls with hint and error, associated for screen readers. */

import { type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, type TextareaHTMLAttributes, useId } from "react";
import { Icon } from "../icon.tsx";
import { Prose } from "../prose.tsx";
import { useProblem } from "./form.tsx";
import { PasswordInput } from "./password-input.tsx";

interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  /** Shown next to the label, but not part of it. */
  aside?: ReactNode;
  name: string;
}

interface ControlProps {
  id: string;
  name: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
}

/** @param children renders the control with these attributes. */
export function Field({ label, hint, aside, name, children }: FieldProps & { children: (control: ControlProps) => ReactNode }) {
  const id = useId();
  const wrong = useProblem(name, label);
  const describedBy = [wrong && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(" ") || undefined;
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-1.5">
      <div className="flex items-baseline justify-between gap-3">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        {aside}
      </div>
      {children({ id, name, "aria-describedby": describedBy, "aria-invalid": wrong ? true : undefined })}
      {wrong && (
        <p id={`${id}-problem`} className="text-sm text-bad">
          <Prose text={wrong} />
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}

export function TextField({
  label,
  hint,
  aside,
  className = "",
  ...input
}: FieldProps & Omit<InputHTMLAttributes<HTMLInputElement>, "name">) {
  return (
    <Field label={label} hint={hint} aside={aside} name={input.name}>
      {(control) =>
        input.type === "password" ? (
          <PasswordInput {...input} {...control} />
        ) : (
          <input {...input} {...control} className={`control ${className}`} />
        )
      }
    </Field>
  );
}

export function AreaField({
  label,
  hint,
  aside,
  className = "",
  ...area
}: FieldProps & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "name">) {
  return (
    <Field label={label} hint={hint} aside={aside} name={area.name}>
      {(control) => <textarea rows={3} {...area} {...control} className={`control ${className}`} />}
    </Field>
  );
}

export function SelectField({
  label,
  hint,
  aside,
  className = "",
  ...select
}: FieldProps & Omit<SelectHTMLAttributes<HTMLSelectElement>, "name">) {
  return (
    <Field label={label} hint={hint} aside={aside} name={select.name}>
      {(control) => (
        <div className="relative">
          <select {...select} {...control} className={`control appearance-none truncate pr-9 ${className}`} />
          <Icon name="choose" className="pointer-events-none absolute top-3 right-3 size-4 text-muted" />
        </div>
      )}
    </Field>
  );
}

export function CheckField({ label, hint, name, ...input }: FieldProps & Omit<InputHTMLAttributes<HTMLInputElement>, "name">) {
  const id = useId();
  return (
    <div className="flex items-start gap-3">
      <input
        {...input}
        id={id}
        name={name}
        type="checkbox"
        aria-describedby={hint ? `${id}-hint` : undefined}
        className="mt-1 size-4 shrink-0 accent-accent"
      />
      <div>
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-sm text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
