/** The client samples in this repository's docs. */

import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../scripts/stack/folders.ts";

/** By page: the samples that use the client, joined in order, because later ones use names defined in earlier ones. */
export async function samplesIn(language: "ts" | "python"): Promise<Map<string, string>> {
  const fence = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms");
  const found = new Map<string, string>();
  for await (const page of glob(["README.md", "clients/*/README.md", "docs/*.md"], { cwd: root })) {
    const blocks = [...(await readFile(join(root, page), "utf8")).matchAll(fence)].map(([, block = ""]) => block);
    const own = blocks.filter((block) => /\btintype\b/.test(block));
    if (own.length > 0) found.set(page, own.join("\n"));
  }
  return found;
}
