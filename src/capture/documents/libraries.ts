/** Libraries that run in the page. */

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/**
 * The source of an object with the exports of each library.
 * @param files URLs of CommonJS modules without imports, by the name of the member.
 */
export async function librariesSource(files: Record<string, string>): Promise<string> {
  const members = Object.entries(files).map(async ([name, url]) => {
    const source = await readFile(fileURLToPath(url), "utf8");
    return `${name}: (() => { const module = { exports: {} }; const exports = module.exports;\n${source}\nreturn module.exports; })(),`;
  });
  return `{${(await Promise.all(members)).join("\n")}}`;
}
