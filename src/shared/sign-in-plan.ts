/** How a page session signs in: the address of the sign-in page, the steps on it, and the secrets that they type. */

/** A value of a step may be a secret's name instead of a text. */
export type PlannedStep = Record<string, string | number | { secret: string }>;

export interface SignInPlan {
  url: string;
  steps: PlannedStep[];
  /** By name. */
  secrets: Record<string, string>;
  /** Further hosts on which the steps may type, such as that of a single sign-on; by default only the site of `url`. */
  signInHosts: string[];
}

/** The steps with the secrets' values in place of their names. */
export function stepsOf({ steps, secrets }: Pick<SignInPlan, "steps" | "secrets">): Record<string, string | number>[] {
  const withValue = (value: PlannedStep[string]) => (typeof value === "object" ? (secrets[value.secret] ?? "") : value);
  return steps.map((step) => Object.fromEntries(Object.entries(step).map(([name, value]) => [name, withValue(value)])));
}

/** In shorter secrets, the gaps would show what was removed: with the secret `a`, a reader can fill in every `…`. */
const maskedLengthMin = 4;

/**
 * `text` without the secrets and the other texts that the steps type, also as they are written in URLs and in host names, which are in lower
 * case. For texts in our own words that contain little of the page's, since secrets of less than four characters are not removed.
 */
export function withoutSecrets(plan: Pick<SignInPlan, "steps" | "secrets">, text: string): string {
  const typed = stepsOf(plan).flatMap((step) => ("type" in step ? String(step.text) : []));
  const values = [...Object.values(plan.secrets), ...typed]
    .filter((value) => value.length >= maskedLengthMin)
    .flatMap((value) => [
      value,
      value.toWellFormed(),
      encodeURIComponent(value.toWellFormed()), // it throws for a lone surrogate
      new URLSearchParams({ value }).toString().slice(6),
    ]);
  const longestFirst = [...new Set(values)].sort((one, other) => other.length - one.length);
  return longestFirst.reduce(withoutValue, text);
}

/** `text` with `…` in place of `value`, regardless of case. */
function withoutValue(text: string, value: string): string {
  const [lower, wanted] = [text.toLowerCase(), value.toLowerCase()];
  if (lower.length !== text.length || wanted.length !== value.length) return text.replaceAll(value, "…"); // as with İ
  const parts: string[] = [];
  let end = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, end)) {
    parts.push(text.slice(end, at));
    end = at + wanted.length;
  }
  return [...parts, text.slice(end)].join("…");
}
