/** A form that prevents concurrent submissions and shows problems at their fields, both those that it finds itself and the API's errors. */

import { createContext, type FocusEvent, type FormEvent, type ReactNode, use, useEffect, useRef, useState } from "react";
import { ApiError, type ErrorDetail } from "../../api/client.ts";
import { Notice } from "../notice.tsx";
import { focusOn, invalidControls, problemOf } from "./constraints.ts";

const Problems = createContext<ErrorDetail[]>([]);

/** The errors for the field `name`, or for one of its elements, with the field's label in place of the parameter's name. */
export function useProblem(name: string, label: ReactNode): string | undefined {
  const found = use(Problems).filter(({ parameter }) => isOf(parameter, [name]));
  return found.length === 0 ? undefined : found.map(({ message }) => `${labelled(message, name, label).replace(/\.?$/, "")}.`).join(" ");
}

function labelled(message: string, name: string, label: ReactNode): string {
  return typeof label === "string" && message.startsWith(`${name} `) ? label + message.slice(name.length) : message;
}

/** Whether any of the fields has an error. */
export function useAnyProblem(names: string[]): boolean {
  return use(Problems).some(({ parameter }) => isOf(parameter, names));
}

/**
 * Whether an error is about a field with one of these names: `allowed_domains[2]` is an element of `allowed_domains`, unless it is a
 * field itself.
 */
const isOf = (parameter: string, names: string[]): boolean => names.includes(parameter) || names.includes(parameter.replace(/\[.*$/, ""));

interface FormProps {
  onSubmit: (values: FormData) => void;
  pending: boolean;
  error: Error | null;
  /** Names of the fields that show their own errors; other errors are shown above the form. */
  fields: string[];
  /** Leaves validation to the API. */
  noValidate?: boolean;
  children: ReactNode;
}

/**
 * Fields are checked when they lose focus and when the form is submitted. After a failed submission, the first field with an error gets
 * the focus.
 */
export function Form({ onSubmit, pending, error, fields, noValidate = false, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [found, setFound] = useState<ErrorDetail[]>([]);
  const details = error instanceof ApiError ? error.details : [];
  const elsewhere = details.length === 0 || details.some(({ parameter }) => !isOf(parameter, fields));
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (pending) return;
    const invalid = noValidate ? [] : invalidControls(event.currentTarget);
    setFound(invalid.map(problemOf));
    if (invalid[0]) focusOn(invalid[0]);
    else onSubmit(new FormData(event.currentTarget));
  };
  /**
   * Only when the focus moves to another field: otherwise a message could move a button while it is being clicked, so that the click
   * misses it.
   */
  const check = ({ target, relatedTarget, currentTarget }: FocusEvent<HTMLFormElement>) => {
    if (noValidate || !(relatedTarget as Element | null)?.matches("input, textarea, select")) return;
    const left = invalidControls(currentTarget).find((control) => (control as Element) === target && control.value !== "");
    if (left) setFound((before) => [...before.filter(({ parameter }) => parameter !== left.name), problemOf(left)]);
  };
  const recheck = ({ currentTarget }: FormEvent<HTMLFormElement>) => {
    const wrong = invalidControls(currentTarget).map(({ name }) => name);
    if (found.length > 0) setFound(found.filter(({ parameter }) => wrong.includes(parameter)));
  };
  return (
    <form ref={form} onSubmit={submit} onBlur={check} onInput={recheck} noValidate className="grid gap-5">
      {error && elsewhere && <Notice tone="bad">{error.message}</Notice>}
      <Problems value={[...found, ...details]}>{children}</Problems>
    </form>
  );
}

/** The text of a field. */
export function textOf(values: FormData, name: string): string {
  return String(values.get(name) ?? "");
}
