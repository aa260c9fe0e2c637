/** Which of the fetched lists makes which of ours, and how the text is taken out of the fetched packages. */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** AdGuard's own lists alone, by their number. Of `ads`, 2 has EasyList in it, 11 is for mobile pages, the others for other languages; 3 has EasyPrivacy. */
const sources = {
  ads: [2, 11, 1, 6, 7, 8, 9, 13, 16, 23, 224],
  trackers: [3],
  cookie_banners: [18],
  chats: [22],
} as const;

/** Our name of a list. */
export type ListName = keyof typeof sources;
export const listNames = Object.keys(sources) as ListName[];

/** Of a list with many kinds of widgets, the part about chats. */
const chatsPart = /^! SECTION: Widgets - Chats$.*?^! !SECTION: Widgets - Chats$/ms;

interface RuleSet {
  metadata?: { rawFilterList?: string };
}

/**
 * Takes what is wanted out of the packages in `modules` into `folder`, as text: `<name>.txt`, the consent engine and its rules.
 * @throws {Error} when a package isn't made as it was.
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
        if (!text) throw new Error(`${file} has no list in it`);
        return text;
      }),
    );
    const text = name === "chats" ? chatsPart.exec(texts[0] ?? "")?.[0] : texts.join("\n");
    if (!text) throw new Error("The list of widgets has no part about chats");
    await writeFile(join(folder, `${name}.txt`), text);
  }
  const consent = join(modules, "@duckduckgo/autoconsent");
  await writeFile(join(folder, "consent.js"), await readFile(join(consent, "dist/autoconsent.playwright.js")));
  await writeFile(join(folder, "consent-rules.json"), await readFile(join(consent, "rules/compact-rules.json")));
}
