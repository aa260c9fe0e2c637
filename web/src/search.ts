/** Parses and serializes query strings; repeated names become lists. */

export type Search = Record<string, string | string[] | undefined>;

export function parseSearch(text: string): Search {
  const query = new URLSearchParams(text);
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

/** `?a=1&b=2`, without empty values; an empty string if no values are left. */
export function stringifySearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).flatMap(([name, value]) =>
    [value].flat().flatMap((item) => ((item ?? "") === "" ? [] : [[name, String(item)]])),
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

/** The texts with these names; everything else is dropped. */
export function pickTexts<Name extends string>(search: object, names: readonly Name[]): { [Key in Name]?: string } {
  const entries = Object.entries(search).filter(
    ([name, value]) => (names as readonly string[]).includes(name) && typeof value === "string",
  );
  return Object.fromEntries(entries) as { [Key in Name]?: string };
}
