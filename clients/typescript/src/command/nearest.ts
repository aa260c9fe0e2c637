/** Suggests a name for a misspelled one. */

/**
 * The one of `names` that differs from `given` in the fewest letters; undefined if all differ in more than half of them, or in more than
 * three.
 */
export function nearest(given: string, names: string[]): string | undefined {
  const ranked = names.map((name) => ({ name, distance: distance(given, name) })).sort((one, other) => one.distance - other.distance);
  const [best] = ranked;
  return best && best.distance <= Math.min(3, best.name.length / 2) ? best.name : undefined;
}

/** Number of letters to insert, remove or replace (Levenshtein). */
function distance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...one].entries()) {
    const current = [row + 1];
    for (let column = 0; column < other.length; column += 1) {
      const replaced = (above[column] as number) + (letter === other[column] ? 0 : 1);
      current.push(Math.min(replaced, (above[column + 1] as number) + 1, (current[column] as number) + 1));
    }
    above = current;
  }
  return above.at(-1) as number;
}
