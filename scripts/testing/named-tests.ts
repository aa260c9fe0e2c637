/** Finds the test files named on the command line. */

import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { distance } from "fastest-levenshtein";
import { root } from "../stack/folders.ts";

const all = "test/**/*.test.ts";
const suggestionsMax = 3;

/**
 * @param names files, folders or glob patterns, relative to the checkout or to `test`. A folder selects only the suite's files in it.
 * @throws {Error} for a name that doesn't match any test; the message suggests similar names.
 */
export function namedTests(names: string[], isLong: boolean): string[] {
  return names.flatMap((name) => {
    const files = globSync([name, join("test", name)], { cwd: root }).filter((file) => file.endsWith(".ts"));
    const inFolder = globSync([join(name, "**/*.test.ts"), join("test", name, "**/*.test.ts")], { cwd: root });
    const found = [...files, ...inFolder.filter((file) => file.endsWith(".long.test.ts") === isLong)];
    if (found.length === 0) throw new Error(`There is no test "${name}". ${advice(name)}`);
    return found.sort();
  });
}

function advice(name: string): string {
  const close = similarTests(name);
  if (close.length > 0) return `Did you mean ${close.join(" or ")}?`;
  if (/[ |()]/.test(name)) return `A flag's value is joined to it with =: --test-name-pattern=${JSON.stringify(name)}.`;
  return `Tests are the files ${all}.`;
}

/** Tests with a similar path or name, most similar first. */
function similarTests(name: string): string[] {
  const wanted = nameOf(name);
  return globSync(all, { cwd: root })
    .map((file) => ({ file, edits: Math.min(distance(file, name), nameOf(file) === wanted ? 0 : distance(nameOf(file), wanted) + 1) }))
    .filter(({ edits }) => edits <= Math.max(2, Math.floor(wanted.length / 4)))
    .sort((a, b) => a.edits - b.edits || a.file.localeCompare(b.file))
    .slice(0, suggestionsMax)
    .map(({ file }) => file);
}

function nameOf(path: string): string {
  return basename(path).replace(/(\.test)?\.ts$/, "");
}
