/** A form that prevents concurrent submits and shows the API's errors at the fields. */

import { createContext, type FormEvent, type ReactNode, use, useEffect, useRef } from "react";
import { ApiError, type ErrorDetail } from "../api/client.ts";
import { Notice } from "./notice.tsx";

const Problems = createContext<ErrorDetail[]>([]);

/** The errors of the field `name`, or of an element of it, with its label in place of the parameter's name. */
export function useProblem(name: string, label: ReactNode): string | undefined {
  const found = use(Problems).filter(({ parameter }) => fieldOf(parameter) === name);
  return found.length === 0 ? undefined : found.map(({ message }) => `${labelled(message, name, label).replace(/\.?$/, "")}.`).join(" ");
}

function labelled(message: string, name: string, label: ReactNode): string {
  return typeof label === "string" && message.startsWith(`${name} `) ? label + message.slice(name.length) : message;
}

/** Whether any of the fields has an error. */
export function useAnyProblem(names: string[]): boolean {
  return use(Problems).some(({ parameter }) => names.includes(fieldOf(parameter)));
}

/** `allowed_domains[2]` is an element of the field `allowed_domains`. */
const fieldOf = (parameter: string): string => parameter.replace(/\[.*$/, "");

interface FormProps {
  onSubmit: (values: FormData) => void;
  pending: boolean;
  error: Error | null;
  /** Names of the fields that show their own errors; other errors are shown above the form. */
  fields: string[];
  /** Leaves validation to the API: browsers can't show an error at a field inside a closed section. */
  noValidate?: boolean;
  children: ReactNode;
}

/** After a failed submit, focuses the first field with an error. */
export function Form({ onSubmit, pending, error, fields, noValidate = false, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const details = error instanceof ApiError ? error.details : [];
  const elsewhere = details.length === 0 || details.some(({ parameter }) => !fields.includes(fieldOf(parameter)));
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!pending) onSubmit(new FormData(event.currentTarget));
  };
  return (
    <form ref={form} onSubmit={submit} noValidate={noValidate} className="grid gap-5">
      {error && elsewhere && <Notice tone="bad">{error.message}</Notice>}
      <Problems value={details}>{children}</Problems>
    </form>
  );
}

/** The text of a field. */
export function textOf(values: FormData, name: string): string {
  return String(values.get(name) ?? "");
}
