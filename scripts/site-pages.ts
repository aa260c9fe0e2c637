/** The pages of the documentation website: which files they are, and how their links are rewritten. */

import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { cases } from "./gallery/cases.ts";

/** Sections of the sidebar, with the files in them. */
export const sections: [title: string, files: string[]][] = [
  [
    "Using it",
    [
      "docs/using.md",
      "docs/options.md",
      "docs/motion.md",
      "docs/sessions.md",
      "docs/proxies.md",
      "docs/errors.md",
      "docs/headers.md",
      "docs/verdicts.md",
      "docs/blocking.md",
    ],
  ],
  [
    "Programs",
    ["clients/typescript/README.md", "clients/python/README.md", "docs/compatible.md", "docs/mcp.md", "docs/browser-endpoint.md"],
  ],
  ["Bulk and recurring captures", ["docs/batches.md", "docs/watches.md", "docs/comparing.md", "docs/webhooks.md", "docs/destinations.md"]],
  ["Running it", ["docs/operations.md", "docs/configuration.md", "charts/tintype/README.md", "docs/scaling.md", "docs/versioning.md"]],
  ["Accounts", ["docs/accounts.md", "docs/quota.md", "docs/billing.md"]],
  ["Quality", ["docs/benchmark.md", "docs/fidelity.md", "SECURITY.md"]],
  [
    "The code",
    ["docs/architecture.md", "docs/glossary.md", "docs/internals.md", "web/README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SUPPORT.md"],
  ],
];

/** Every file that becomes a page: those in the sections, the start page and the decisions. */
export function pageFiles(root: string): string[] {
  const decisions = globSync("docs/decisions/*.md", { cwd: root }).sort();
  return ["README.md", ...sections.flatMap(([, files]) => files), ...decisions];
}

/** Path of a file's page: a README becomes the index of its folder; other paths stay the same. */
export const pagePath = (file: string) => file.replace(/(^|\/)README\.md$/, "$1index.md");

export function titleOf(text: string): string {
  return (/^# (.+)$/m.exec(text)?.[1] ?? "").replaceAll("`", "");
}

/**
 * The text of a page without comments. Links to other pages point to the website, images stay as they are, and links to other files in the
 * repository point below `address`, or become plain text if there is none.
 */
export function pageText(root: string, file: string, { pages, address }: { pages: Set<string>; address?: string | undefined }): string {
  return outsideCode(readFileSync(join(root, file), "utf8"), (text) =>
    text
      .replace(/^<!-- .* -->\n+/gm, "")
      .replace(/(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\((?![a-z]+:|#)([^)\s]+)\)/g, (whole, mark: string, label: string, target: string) => {
        const [path = "", fragment] = target.split("#", 2) as [string, string?];
        const found = posix.normalize(posix.join(posix.dirname(file), path));
        const hash = fragment === undefined ? "" : `#${fragment}`;
        const page = pages.has(found) ? found : pages.has(posix.join(found, "README.md")) ? posix.join(found, "README.md") : undefined;
        if (page !== undefined) return `[${label}](/${pagePath(page)}${hash})`;
        if (mark && existsSync(join(root, found))) return whole;
        return address === undefined ? label : `[${label}](${address.replace(/\/+$/, "")}/${found}${hash})`;
      }),
  );
}

/** Applies `change` to everything except code. */
function outsideCode(text: string, change: (text: string) => string): string {
  const code = /^( *)(```+)[^\n]*\n[\s\S]*?^ *\2[^\n]*$/gm;
  const parts: string[] = [];
  let end = 0;
  for (const match of text.matchAll(code)) {
    parts.push(change(text.slice(end, match.index)), match[0]);
    end = match.index + match[0].length;
  }
  return [...parts, change(text.slice(end))].join("");
}

/** Images of the repository that a page shows, such as `docs/screenshot.jpg`. */
export function picturesOf(root: string, file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const targets = [...text.matchAll(/!\[[^\]]*\]\((?![a-z]+:)([^)\s]+)\)/g)].map(([, target = ""]) => join(dirname(file), target));
  return targets.filter((target) => existsSync(join(root, target)) && statSync(join(root, target)).isFile());
}

/** Adds images of a section's options after its table: the first case of each option whose image is in `gallery`. */
export function withGallery(text: string, gallery: string, link: (picture: string) => string): string {
  return text
    .split(/^(?=## )/m)
    .map((section) => {
      const names = [...section.matchAll(/^\| `(\w+)` +\|/gm)].map(([, name = ""]) => name);
      const pictures = names.flatMap((name) => {
        const file = ["png", "jpg", "webp", "avif"]
          .map((extension) => `${name}-1.${extension}`)
          .find((one) => existsSync(join(gallery, one)));
        const [first] = cases[name] ?? [];
        if (file === undefined || !first) return [];
        const given = Object.entries(first.parameters).map(
          ([key, value]) => `${key}=${value.length > 60 ? "…" : value.replaceAll("\n", " ")}`,
        );
        return [`**\`${name}\`**: ${first.look}, with \`${given.join("&")}\`\n\n![${name}: ${first.look}](${link(file)})`];
      });
      return pictures.length === 0
        ? section
        : `${section.trimEnd()}\n\n### Pictures: ${section.slice(3, section.indexOf("\n"))}\n\n${pictures.join("\n\n")}\n\n`;
    })
    .join("");
}
