/** Counts the addresses that a crawl left out, by reason. */

/** Reasons with equal counts are listed in this order. */
export const leftOutReasons = [
  "nofollow",
  "other_site",
  "not_a_page",
  "excluded",
  "target_not_allowed",
  "robots",
  "trap",
  "depth",
  "limit",
  "quota",
  "time",
  "duplicate",
  "page_links",
] as const;

export type LeftOutReason = (typeof leftOutReasons)[number];

/** Keyed by reason. Reasons without addresses are absent. */
export type LeftOut = Partial<Record<LeftOutReason, { count: number; examples: string[] }>>;

const examplesMax = 5;
const exampleLengthMax = 500;

/** Adds addresses to the counts. @param count defaults to the number of `addresses`. */
export function addLeftOut(all: LeftOut, reason: LeftOutReason, addresses: string[], count = addresses.length): void {
  if (count === 0) return;
  const before = all[reason] ?? { count: 0, examples: [] };
  const shown = addresses.map((address) => (address.length > exampleLengthMax ? `${address.slice(0, exampleLengthMax - 1)}…` : address));
  all[reason] = { count: before.count + count, examples: [...before.examples, ...shown].slice(0, examplesMax) };
}

/** Removes an address from the counts, because the crawl follows it after all. */
export function takeBack(all: LeftOut, reason: LeftOutReason, address: string): void {
  const before = all[reason];
  if (!before) return;
  if (before.count > 1) all[reason] = { count: before.count - 1, examples: before.examples.filter((example) => example !== address) };
  else delete all[reason];
}
