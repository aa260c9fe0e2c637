/** Finds broken links between files in Markdown. */

import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/**
 * Checks links and images in `files`, including fragments; web addresses are not checked.
 * @param files paths of Markdown files, relative to `root`.
 * @returns one message for each broken link.
 */
export function brokenLinks(root: string, files: string[]): string[] {
  return files.flatMap((file) => {
    const text = withoutCode(readFileSync(join(root, file), "utf8"));
    return targets(text).flatMap(({ target, line }) => {
      const problem = linkProblem(root, file, target);
      return problem ? [`${file}:${line}: ${target} ${problem}`] : [];
    });
  });
}

function linkProblem(root: string, file: string, target: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(target)) return undefined;
  const [path = "", fragment = ""] = decodeURI(target).split("#", 2);
  const start = path.startsWith("/") ? root : join(root, dirname(file));
  const destination = path === "" ? join(root, file) : join(start, path);
  if (relative(root, destination).startsWith("..")) return "points outside the project";
  if (!existsSync(destination)) return "does not exist";
  if (fragment === "" || !destination.endsWith(".md") || statSync(destination).isDirectory()) return undefined;
  return anchors(readFileSync(destination, "utf8")).has(fragment) ? undefined : "is not a heading of that file";
}

/** Blanks out code, whose links are only examples, and keeps the line numbers. */
function withoutCode(text: string): string {
  const blank = (code: string) => code.replace(/[^\n]/g, " ");
  return text
    .replace(/^( *)(```+|~~~+)[^\n]*\n[\s\S]*?^ *\2[^\n]*$/gm, blank)
    .replace(/(`+)(?!`)[^\n]*?[^`]\1(?!`)/g, blank)
    .replace(/<!--[\s\S]*?-->/g, blank);
}

function targets(text: string): { target: string; line: number }[] {
  const patterns = [
    /\]\(\s*<?([^)\s>]+)>?(?:\s+["'][^)]*["'])?\s*\)/g,
    /^ {0,3}\[[^\]\n^]+\]:\s*<?([^\s>]+)>?/gm,
    /<(?:a|img)\s[^>]*?(?:href|src)="([^"]+)"/g,
  ];
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => ({ target: match[1] ?? "", line: text.slice(0, match.index).split("\n").length })),
  );
}

/** GitHub's heading anchors: lowercase, without punctuation, with dashes for spaces, numbered if repeated. */
function anchors(text: string): Set<string> {
  const found = new Set<string>();
  for (const [, heading = ""] of withoutFences(text).matchAll(/^ {0,3}#{1,6}\s+(.+?)\s*#*\s*$/gm)) {
    const title = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const name = title.replace(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, "").replaceAll(" ", "-");
    let unique = name;
    for (let count = 1; found.has(unique); count++) unique = `${name}-${count}`;
    found.add(unique);
  }
  for (const [, id = ""] of text.matchAll(/<[a-z0-9]+\s[^>]*?(?:id|name)="([^"]+)"/g)) found.add(id);
  return found;
}

function withoutFences(text: string): string {
  return text.replace(/^( *)(```+|~~~+)[^\n]*\n[\s\S]*?^ *\2[^\n]*$/gm, "");
}
