/** A form that sends once at a time and shows what the API has against each field. */

import { createContext, type FormEvent, type ReactNode, use, useEffect, useRef } from "react";
import { ApiError } from "../api/client.ts";
import { Notice } from "./notice.tsx";

const Problems = createContext<{ parameter: string; message: string }[]>([]);

/** What is wrong with the field `name`, or with an element of it. */
export function useProblem(name: string): string | undefined {
  const found = use(Problems).filter(({ parameter }) => parameter === name || parameter.startsWith(`${name}[`));
  return found.length === 0 ? undefined : found.map(({ message }) => `${message.replace(/\.?$/, "")}.`).join(" ");
}

interface FormProps {
  onSubmit: (values: FormData) => void;
  pending: boolean;
  error: Error | null;
  /** Names of the fields that show their own problems; what concerns others is shown above the form. */
  fields: string[];
  className?: string;
  children: ReactNode;
}

/** Moves the focus to the first field with a problem when an answer brings one. */
export function Form({ onSubmit, pending, error, fields, className = "grid gap-5", children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const details = error instanceof ApiError ? error.details : [];
  const elsewhere = details.length === 0 || details.some(({ parameter }) => !fields.includes(parameter.replace(/\[.*$/, "")));
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!pending) onSubmit(new FormData(event.currentTarget));
  };
  return (
    <form ref={form} onSubmit={submit} className={className}>
      {error && elsewhere && <Notice tone="bad">{error.message}</Notice>}
      <Problems value={details}>{children}</Problems>
    </form>
  );
}

/** The text of a field. */
export function textOf(values: FormData, name: string): string {
  return String(values.get(name) ?? "");
}
