/** Locates files of the benchmark's packages. */

import { join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../node_modules/", import.meta.url));

/** @throws {Error} when `file` is outside the packages. */
export function packageFile(packageName: string, file: string): string {
  const path = normalize(join(folder, packageName, file));
  if (!path.startsWith(folder)) throw new Error(`${file} is outside the packages`);
  return path;
}
