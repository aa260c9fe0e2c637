/** Photographs for pages, from packages that include some. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { packageFile } from "./packages.ts";

const folders = ["material-kit/assets/img/examples", "startbootstrap-creative/dist/assets/img/portfolio/fullsize"];

let files: string[] | undefined;

/** The file of the `index`th photograph; they repeat endlessly. */
export function photographFile(index: number): string {
  files ??= folders.flatMap((folder) =>
    readdirSync(packageFile(folder))
      .filter((name) => name.endsWith(".jpg"))
      .sort()
      .map((name) => packageFile(join(folder, name))),
  );
  return files[index % files.length] ?? "";
}

/** Its URL. */
export function photograph(index: number): string {
  return `/photographs/${index}.jpg`;
}
