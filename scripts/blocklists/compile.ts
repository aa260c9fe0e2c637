/** Compiles filter lists into the engines that the service loads for blocking. */

import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FiltersEngine } from "@ghostery/adblocker";
import { listNames } from "./sources.ts";
import { readRules } from "./translate.ts";

/** Describes the sources of a folder of engines. The folder is up to date if its key is the same as that of the current sources. */
export interface MadeOf {
  key: string;
  /** Title, version and number of rules of each list. */
  lists: Record<string, { titles: string[]; rules: number; leftOut: number }>;
}

/**
 * @param texts folder with the downloaded lists. @param own folder with our rules, added to the list of the same name.
 * @param target is created atomically.
 */
export async function compile({ texts, own, target, key }: { texts: string; own: string; target: string; key: string }): Promise<MadeOf> {
  const temporary = `${target}.${process.pid}`;
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary, { recursive: true });
  const madeOf: MadeOf = { key, lists: {} };
  try {
    for (const name of listNames) {
      const fetched = await readFile(join(texts, `${name}.txt`), "utf8");
      const added = await readFile(join(own, `${name}.txt`), "utf8").catch(() => "");
      const { leftOut, ...rules } = readRules(`${fetched}\n${added}`);
      await writeFile(join(temporary, `${name}.engine`), new FiltersEngine({ ...rules, config }).serialize());
      const titles = [...fetched.matchAll(/^! Title: (.+)$[\s\S]*?^! Version: (.+)$/gm)].map(([, title, version]) => `${title} ${version}`);
      madeOf.lists[name] = { titles, rules: rules.networkFilters.length + rules.cosmeticFilters.length, leftOut };
    }
    for (const file of ["consent.js", "consent-rules.json"]) await copyFile(join(texts, file), join(temporary, file));
    await writeFile(join(temporary, "made-of.json"), `${JSON.stringify(madeOf, null, 2)}\n`);
    await rm(target, { recursive: true, force: true });
    await rename(temporary, target).catch((error) => {
      if (!existsSync(target)) throw error; // otherwise another process has just created it
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return madeOf;
}

/** The engine's optimizations would join patterns to regular expressions that are no longer linear. */
const config = {
  enableOptimizations: false,
  loadCSPFilters: false,
  enableHtmlFiltering: false,
  loadExtendedSelectors: false,
  loadPreprocessors: false,
};
