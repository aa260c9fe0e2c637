/** What is entered for a session, before the API has checked it. */

import { counted } from "../ui/format.ts";

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Undefined unless the text is a JSON object. */
export function stateOf(text: string): object | undefined {
  const state = parsed(text);
  return typeof state === "object" && state !== null && !Array.isArray(state) ? state : undefined;
}

/** What a state contains, such as "2 cookies and the storage of 1 origin."; undefined if that can't be told. */
export function summaryOf(text: string): string | undefined {
  const { cookies, origins } = (stateOf(text) ?? {}) as { cookies?: unknown; origins?: unknown };
  if (!Array.isArray(cookies) && !Array.isArray(origins)) return undefined;
  const count = (list: unknown) => (Array.isArray(list) ? list.length : 0);
  return `${counted(count(cookies), "cookie")} and the storage of ${counted(count(origins), "origin")}.`;
}

/** Undefined unless the text is a JSON array. */
export function stepsOf(text: string): unknown[] | undefined {
  const steps = parsed(text);
  return Array.isArray(steps) ? steps : undefined;
}

/** Names of the secrets that the steps refer to, each once. */
export function secretNames(text: string): string[] {
  const names = (stepsOf(text) ?? []).map((step) => (step as { text?: { secret?: unknown } } | null)?.text?.secret);
  return [...new Set(names.filter((name) => typeof name === "string" && name !== ""))] as string[];
}
