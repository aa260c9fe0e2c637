/** Describes how a page session signs in: the address of the sign-in page, the steps on it, and the secrets that they type. */

/** A step's value may be a secret's name instead of text. */
export type PlannedStep = Record<string, string | number | { secret: string }>;

export interface SignInPlan {
  url: string;
  steps: PlannedStep[];
  /** Values of the secrets, by name. */
  secrets: Record<string, string>;
  /** Hosts on which the steps may type in addition to the site of `url`, such as a single sign-on provider's. */
  signInHosts: string[];
}

/** The steps with the secrets' values in place of their names. */
export function stepsOf({ steps, secrets }: Pick<SignInPlan, "steps" | "secrets">): Record<string, string | number>[] {
  const withValue = (value: PlannedStep[string]) => (typeof value === "object" ? (secrets[value.secret] ?? "") : value);
  return steps.map((step) => Object.fromEntries(Object.entries(step).map(([name, value]) => [name, withValue(value)])));
}

/** Shorter secrets are not masked, because the gaps would give them away: with the secret `a`, a reader could fill in every `…`. */
const maskedLengthMin = 4;

/**
 * Masks the secrets and any other text that the steps type, ignoring case and including their URL-encoded forms. Secrets shorter
 * than four characters are not masked, so this is meant only for our own messages, which quote little of the page.
 */
export function withoutSecrets(plan: Pick<SignInPlan, "steps" | "secrets">, text: string): string {
  const typed = stepsOf(plan).flatMap((step) => ("type" in step ? String(step.text) : []));
  const values = [...Object.values(plan.secrets), ...typed]
    .filter((value) => value.length >= maskedLengthMin)
    .flatMap((value) => [
      value,
      value.toWellFormed(),
      encodeURIComponent(value.toWellFormed()), // would throw on a lone surrogate
      new URLSearchParams({ value }).toString().slice(6),
    ]);
  const longestFirst = [...new Set(values)].sort((one, other) => other.length - one.length);
  return longestFirst.reduce(withoutValue, text);
}

/** Replaces `value` in `text` with `…`. Ignores case unless lower-casing changes the length of either string. */
function withoutValue(text: string, value: string): string {
  const [lower, wanted] = [text.toLowerCase(), value.toLowerCase()];
  if (lower.length !== text.length || wanted.length !== value.length) return text.replaceAll(value, "…"); // İ becomes longer in lower case
  const parts: string[] = [];
  let end = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, end)) {
    parts.push(text.slice(end, at));
    end = at + wanted.length;
  }
  return [...parts, text.slice(end)].join("…");
}
