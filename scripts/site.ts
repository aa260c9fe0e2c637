/**
 * `npm run site`: builds the documentation as a static website in `.local/site/dist`, with images from `npm run gallery` if there are
 * any. `-- --links ADDRESS` sets where links to the repository's other files point, and `-- --base /tintype/` the path at which the website
 * is served; `-- --serve` serves it until Ctrl-C.
 */

import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { pageFiles, pagePath, pageText, picturesOf, sections, titleOf, withGallery } from "./site-pages.ts";
import { runInTerminal, runProgram } from "./stack/child.ts";
import { runCommand } from "./stack/command.ts";
import { fetchPackage } from "./stack/fetched-package.ts";
import { localFolder, root } from "./stack/folders.ts";
import { interruption } from "./stack/interrupt.ts";

const signal = interruption();
const work = join(localFolder, "site");
await runCommand(main, signal);

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { links: { type: "string" }, base: { type: "string" }, serve: { type: "boolean" } } });
  const announce = () => console.log("Downloading the generator of the website ...");
  const packages = await fetchPackage("site", async () => {}, signal, announce, join(root, "site"));
  await rm(work, { recursive: true, force: true });
  await mkdir(join(work, ".vitepress"), { recursive: true });
  await symlink(join(packages, "node_modules"), join(work, "node_modules"), "junction");
  await writeFile(join(work, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const titles = await writePages(values.links);
  await cp(join(root, "site/config.mts"), join(work, ".vitepress/config.mts"));
  await writeFile(join(work, ".vitepress/pages.json"), JSON.stringify({ base: values.base ?? "/", ...navigation(titles) }));
  const vitepress = [process.execPath, join(packages, "node_modules/vitepress/bin/vitepress.js")];
  await runProgram([...vitepress, "build", ".", "--outDir", "dist"], { cwd: work, timeoutMs: 5 * 60_000, signal, outputLines: 60 });
  console.log(`${titles.size} pages in ${relative(root, join(work, "dist"))}`);
  return values.serve
    ? await runInTerminal([...vitepress, "preview", ".", "--outDir", "dist"], { cwd: work, env: process.env }, signal)
    : 0;
}

/** Returns the title of each file. */
async function writePages(address: string | undefined): Promise<Map<string, string>> {
  const files = pageFiles(root);
  const pages = new Set(files);
  const gallery = join(localFolder, "gallery");
  const hasGallery = existsSync(join(gallery, "index.html"));
  if (!hasGallery) console.log("There are no pictures of options: run `npm run gallery` first.");
  else
    await cp(gallery, join(work, "docs/gallery"), {
      recursive: true,
      filter: (file) => !/\.(html|mhtml|pdf|json|jsonl|har|txt|md)$/.test(file),
    });
  const titles = new Map<string, string>();
  for (const file of files) {
    const text = pageText(root, file, { pages, address });
    titles.set(file, titleOf(text) || file);
    const shown = file === "docs/options.md" && hasGallery ? withGallery(text, gallery, (picture) => `./gallery/${picture}`) : text;
    await write(pagePath(file), shown);
    for (const picture of picturesOf(root, file)) await write(picture, await readFile(join(root, picture)));
  }
  return titles;
}

async function write(file: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(join(work, file)), { recursive: true });
  await writeFile(join(work, file), content);
}

function navigation(titles: Map<string, string>) {
  const items = (files: string[]) => files.map((file) => ({ text: titles.get(file), link: `/${pagePath(file).replace(/\.md$/, "")}` }));
  const decisions = [...titles.keys()].filter((file) => file.startsWith("docs/decisions/"));
  return {
    title: "Tintype",
    description: "Self-hosted website screenshots over HTTP: one GET, one image.",
    nav: [
      { text: "Use", link: "/docs/using" },
      { text: "Options", link: "/docs/options" },
      { text: "Run", link: "/docs/operations" },
    ],
    sidebar: [
      ...sections.map(([text, files]) => ({ text, collapsed: false, items: items(files) })),
      { text: "Decisions", collapsed: true, items: items(decisions) },
    ],
  };
}
