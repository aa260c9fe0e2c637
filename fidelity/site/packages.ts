/** Locates files of the suite's packages. */

import { existsSync } from "node:fs";
import { join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../node_modules/", import.meta.url));

/** @throws {Error} if `file`, which begins with a package's name, is outside the packages. */
export function packageFile(file: string): string {
  const path = normalize(join(folder, file));
  if (!path.startsWith(folder)) throw new Error(`${file} leads out of the packages`);
  if (existsSync(path)) return path;
  // A package's dependencies are installed next to it, not below it.
  return normalize(join(folder, file.replace(/^.*\/node_modules\//, "")));
}
