/** Maps AdGuard's lists to ours, and extracts their text from the downloaded packages. */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * AdGuard's own lists, by number. In `ads`, 2 includes EasyList, 11 is for mobile pages, and the rest are for other languages. 3 includes
 * EasyPrivacy.
 */
const sources = {
  ads: [2, 11, 1, 6, 7, 8, 9, 13, 16, 23, 224],
  trackers: [3],
  cookie_banners: [18],
  chats: [22],
} as const;

/** Our name for a list. */
export type ListName = keyof typeof sources;
export const listNames = Object.keys(sources) as ListName[];

/** The section about chats in the list of widgets. */
const chatsPart = /^! SECTION: Widgets - Chats$.*?^! !SECTION: Widgets - Chats$/ms;

interface RuleSet {
  metadata?: { rawFilterList?: string };
}

/**
 * Extracts the lists (`<name>.txt`), the consent engine and its rules from the packages in `modules` into `folder`.
 * @throws {Error} when a package has an unexpected layout.
 */
export async function takeTexts(modules: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const lists = join(modules, "@adguard/dnr-rulesets/dist/filters/declarative");
  for (const name of listNames) {
    const texts = await Promise.all(
      sources[name].map(async (number) => {
        const file = join(lists, `ruleset_${number}`, `ruleset_${number}.json`);
        const [first] = JSON.parse(await readFile(file, "utf8")) as RuleSet[];
        const text = first?.metadata?.rawFilterList;
        if (!text) throw new Error(`${file} contains no list`);
        return text;
      }),
    );
    const text = name === "chats" ? chatsPart.exec(texts[0] ?? "")?.[0] : texts.join("\n");
    if (!text) throw new Error("The list of widgets has no section about chats");
    await writeFile(join(folder, `${name}.txt`), text);
  }
  const consent = join(modules, "@duckduckgo/autoconsent");
  await writeFile(join(folder, "consent.js"), await readFile(join(consent, "dist/autoconsent.playwright.js")));
  await writeFile(join(folder, "consent-rules.json"), await readFile(join(consent, "rules/compact-rules.json")));
}
