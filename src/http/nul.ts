/** Finds NUL characters in inputs: PostgreSQL stores none, neither in text nor in JSON. */

/** Bodies are at most two levels deep; what is nested deeper is refused by their schemas. */
const depthMax = 8;

/** Where the texts with a NUL are in `value`, which is JSON. */
export function pathsOfNul(value: unknown, path: PropertyKey[] = []): PropertyKey[][] {
  if (typeof value === "string") return value.includes("\0") ? [path] : [];
  if (typeof value !== "object" || value === null || path.length >= depthMax) return [];
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
  return [...entries].flatMap(([key, part]: [PropertyKey, unknown]) => pathsOfNul(part, [...path, key]));
}

/** Follows the name of a parameter. */
export const nulProblem = "has a NUL character, which can't be stored";
