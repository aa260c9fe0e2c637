/** Generates sites from Fastify's guides with the site generators among the packages. */

import { copyFile, cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runProgram } from "../../scripts/stack/child.ts";
import { root } from "../../scripts/stack/folders.ts";
import { packageFile } from "./packages.ts";

const guides = [
  "Database",
  "Delay-Accepting-Requests",
  "Detecting-When-Clients-Abort",
  "Getting-Started",
  "Plugins-Guide",
  "Recommendations",
];
const hexoThemes = ["landscape", "next", "fluid", "butterfly"];
const renderers = ["hexo-renderer-ejs", "hexo-renderer-marked", "hexo-renderer-pug", "hexo-renderer-stylus"];
const generators = ["hexo-generator-archive", "hexo-generator-category", "hexo-generator-index", "hexo-generator-tag"];

/**
 * Generates the sites missing from `folder`.
 * @param stamp changes whenever the packages do.
 * @throws {Error} with the generator's last output if it fails.
 */
export async function generateSites(folder: string, stamp: string, log: (message: string) => void, signal: AbortSignal): Promise<void> {
  const stampFile = join(folder, "stamp");
  if ((await readFile(stampFile, "utf8").catch(() => "")) === stamp) return;
  log("Generating sites ...");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "api.json"), JSON.stringify(api()));
  for (const theme of hexoThemes) await hexo(folder, theme, signal);
  await vitepress(folder, signal);
  await writeFile(stampFile, stamp);
}

function guide(name: string): Promise<string> {
  return readFile(packageFile(`fastify/docs/Guides/${name}.md`), "utf8");
}

/** A folder for the site's sources next to the site, with the packages in it. */
async function sourcesOf(folder: string, name: string): Promise<string> {
  const sources = join(folder, "sources", name);
  await mkdir(sources, { recursive: true });
  await symlink(join(root, "fidelity/node_modules"), join(sources, "node_modules"));
  return sources;
}

async function hexo(folder: string, theme: string, signal: AbortSignal): Promise<void> {
  const sources = await sourcesOf(folder, `hexo-${theme}`);
  const posts = join(sources, "source/_posts");
  await mkdir(posts, { recursive: true });
  const dependencies = Object.fromEntries([...renderers, ...generators, `hexo-theme-${theme}`].map((name) => [name, "*"]));
  await writeFile(join(sources, "package.json"), JSON.stringify({ name: "blog", private: true, hexo: {}, dependencies }));
  const config = [
    "title: A blog",
    "author: Authors",
    "url: http://127.0.0.1",
    `root: /sites/hexo-${theme}/`,
    `theme: ${theme}`,
    "public_dir: public",
    "permalink: :year/:month/:day/:title/",
    "per_page: 10",
  ];
  await writeFile(join(sources, "_config.yml"), config.join("\n"));
  for (const [index, name] of guides.entries()) {
    // Only a few sections of each guide, to limit the size of the page with all posts.
    const [intro = "", ...rest] = (await guide(name)).replace(/^<h1.*<\/h1>$/m, "").split(/^(?=## )/m);
    const head = `---\ntitle: ${name}\ndate: 2024-01-0${index + 1} 12:00:00\n---\n`;
    await writeFile(
      join(posts, `${name}.md`),
      `${head}{% raw %}\n${intro}\n{% endraw %}\n<!-- more -->\n{% raw %}\n${rest.slice(0, 2).join("").slice(0, 3000)}\n{% endraw %}\n`,
    );
  }
  await runProgram([process.execPath, packageFile("hexo/bin/hexo"), "generate", "--silent"], { cwd: sources, timeoutMs: 120_000, signal });
  await cp(join(sources, "public"), join(folder, `hexo-${theme}`), { recursive: true });
}

async function vitepress(folder: string, signal: AbortSignal): Promise<void> {
  const sources = await sourcesOf(folder, "vitepress");
  for (const name of guides) await copyFile(packageFile(`fastify/docs/Guides/${name}.md`), join(sources, `${name}.md`));
  const features = guides.map((name) => `  - title: ${name}\n    details: What there is to know about it.\n    link: /${name}`);
  await writeFile(
    join(sources, "index.md"),
    `---\nlayout: home\nhero:\n  name: Guides\n  text: A site\n  tagline: Made by VitePress\nfeatures:\n${features.join("\n")}\n---\n`,
  );
  await mkdir(join(sources, ".vitepress"));
  const sidebar = guides.map((name) => ({ text: name, link: `/${name}` }));
  const config = { title: "Guides", base: "/sites/vitepress/", ignoreDeadLinks: true, themeConfig: { sidebar, nav: sidebar.slice(0, 3) } };
  await writeFile(join(sources, ".vitepress/config.mjs"), `export default ${JSON.stringify(config)};`);
  const program = [process.execPath, packageFile("vitepress/bin/vitepress.js"), "build", sources];
  await runProgram(program, { cwd: sources, timeoutMs: 180_000, signal });
  await cp(join(sources, ".vitepress/dist"), join(folder, "vitepress"), { recursive: true });
}

/** Long enough to scroll. */
function api() {
  const kinds = ["pet", "store", "user", "order", "customer", "address"];
  const answers = { "200": { description: "OK", content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } } } };
  const id = { name: "id", in: "path", required: true, schema: { type: "integer" } };
  const paths = kinds.flatMap((kind) => [
    [
      `/${kind}`,
      {
        get: { tags: [kind], summary: `Lists every ${kind}`, responses: answers },
        post: { tags: [kind], summary: `Adds a ${kind}`, responses: answers },
      },
    ],
    [`/${kind}/{id}`, { get: { tags: [kind], summary: `Finds a ${kind}`, parameters: [id], responses: answers } }],
  ]);
  const properties = {
    id: { type: "integer" },
    name: { type: "string", example: "doggie" },
    photoUrls: { type: "array", items: { type: "string" } },
  };
  const schemas = { Thing: { type: "object", properties } };
  return {
    openapi: "3.0.3",
    info: { title: "Pets", version: "1.0.0", description: "An API for pets." },
    paths: Object.fromEntries(paths),
    components: { schemas },
  };
}
