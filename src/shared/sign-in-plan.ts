/** How a page session signs in: the address of the sign-in page, the steps on it, and the secrets that they type. */

/** A value of a step may be a secret's name instead of a text. */
export type PlannedStep = Record<string, string | number | { secret: string }>;

export interface SignInPlan {
  url: string;
  steps: PlannedStep[];
  /** By name. */
  secrets: Record<string, string>;
}

/** The steps with the secrets' values in place of their names. */
export function stepsOf({ steps, secrets }: Pick<SignInPlan, "steps" | "secrets">): Record<string, string | number>[] {
  const withValue = (value: PlannedStep[string]) => (typeof value === "object" ? (secrets[value.secret] ?? "") : value);
  return steps.map((step) => Object.fromEntries(Object.entries(step).map(([name, value]) => [name, withValue(value)])));
}

/** `text` without the secrets, also as they are written in URLs: a page may quote what was typed. */
export function withoutSecrets({ secrets }: Pick<SignInPlan, "secrets">, text: string): string {
  const values = Object.values(secrets).flatMap((value) => [
    value,
    value.toWellFormed(),
    encodeURIComponent(value.toWellFormed()), // it throws for a lone surrogate
    new URLSearchParams({ value }).toString().slice(6),
  ]);
  return [...new Set(values)].sort((one, other) => other.length - one.length).reduce((left, value) => left.replaceAll(value, "…"), text);
}
