/** Reads, checks and changes a release's version: package.json has it, and every other file that states it must agree. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Place {
  file: string;
  /** Matches each occurrence; its groups are the text before the version, and the version. */
  pattern: RegExp;
  occurrences: number;
  /** The version as written in this file. */
  form?: (version: string) => string;
}

const inPackage = /^( {2}"version": ")([^"\n]+)/gm;
const inLock = /^((?: {2}| {6})"name": "tintype(?:-web)?",\n(?: {2}| {6})"version": ")([^"\n]+)/gm;

const places: Place[] = [
  { file: "package.json", pattern: inPackage, occurrences: 1 },
  { file: "package-lock.json", pattern: inLock, occurrences: 2 },
  { file: "web/package.json", pattern: inPackage, occurrences: 1 },
  { file: "web/package-lock.json", pattern: inLock, occurrences: 2 },
  { file: "clients/typescript/package.json", pattern: inPackage, occurrences: 1 },
  { file: "clients/typescript/README.md", pattern: /(\btintype-client-)(\d[^\s`]*)(?=\.tgz)/g, occurrences: 2 },
  { file: "clients/python/pyproject.toml", pattern: /^(version = ")([^"\n]+)/gm, occurrences: 1, form: pythonVersion },
  { file: "charts/tintype/Chart.yaml", pattern: /^((?:version|appVersion): )(\S+)/gm, occurrences: 2 },
  { file: "openapi.yaml", pattern: /^( {2}version: )(\S+)/gm, occurrences: 1 },
  { file: "Dockerfile", pattern: /^(ARG VERSION=)(\S+)/gm, occurrences: 1 },
  { file: "web/Dockerfile", pattern: /^(ARG VERSION=)(\S+)/gm, occurrences: 1 },
  { file: "docker/single.Dockerfile", pattern: /^(ARG VERSION=)(\S+)/gm, occurrences: 1 },
  { file: "CITATION.cff", pattern: /^(version: )(\S+)/gm, occurrences: 1 },
];

const changelog = "CHANGELOG.md";
const valid = /^(?:0|[1-9]\d{0,5})(?:\.(?:0|[1-9]\d{0,5})){2}(?:-(?:alpha|beta|rc)\.[1-9]\d{0,3})?$/;

/** `1.0.0-rc.1` is `1.0.0rc1` in Python (PEP 440). */
function pythonVersion(version: string): string {
  return version.replace(/-(alpha|beta|rc)\.(\d+)$/, (_match, kind: string, number: string) => {
    return `${{ alpha: "a", beta: "b" }[kind] ?? kind}${number}`;
  });
}

/** The version in `root`'s package.json. */
export function currentVersion(root: string): string {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version;
}

/** One message for each file that doesn't state the version from package.json. */
export function versionProblems(root: string): string[] {
  const version = currentVersion(root);
  const problems = places.flatMap(({ file, pattern, occurrences, form = String }) => {
    const found = [...readFileSync(join(root, file), "utf8").matchAll(pattern)].map((match) => match[2] ?? "");
    if (found.length !== occurrences) return [`${file} names a version ${found.length} times, not ${occurrences}.`];
    return found.filter((one) => one !== form(version)).map((one) => `${file} names the version ${one}, not ${form(version)}.`);
  });
  const [newest] = [...releases(readFileSync(join(root, changelog), "utf8")).keys()];
  if (newest !== version) problems.push(`${changelog} describes ${newest ?? "no version"} as the newest release, not ${version}.`);
  return problems;
}

/**
 * Writes `version` into every file. In the changelog, the unreleased section becomes the version's section.
 * @param date date of the release, such as `2026-11-25`.
 * @throws {Error} for a version without an equivalent in Python, or if the unreleased section is empty.
 */
export function setVersion(root: string, version: string, date: string): void {
  if (!valid.test(version)) throw new Error(`${version} is not a version such as 1.2.3, or 1.2.3-alpha.1, -beta.1 or -rc.1.`);
  const described = withRelease(readFileSync(join(root, changelog), "utf8"), version, date);
  for (const { file, pattern, form = String } of places) {
    const text = readFileSync(join(root, file), "utf8");
    writeFileSync(
      join(root, file),
      text.replace(pattern, (_match, before: string) => before + form(version)),
    );
  }
  writeFileSync(join(root, changelog), described);
  const citation = join(root, "CITATION.cff");
  writeFileSync(citation, readFileSync(citation, "utf8").replace(/^(date-released: ").*(?="$)/m, `$1${date}`));
}

function withRelease(text: string, version: string, date: string): string {
  const heading = `## [${version}] - ${date}`;
  const lines = text.split("\n");
  const existing = lines.findIndex((line) => line.startsWith(`## [${version}]`));
  if (existing >= 0) return lines.with(existing, heading).join("\n");
  const unreleased = lines.indexOf("## [Unreleased]");
  const rest = lines.slice(unreleased + 1);
  const next = rest.findIndex((line) => line.startsWith("## "));
  const section = next < 0 ? rest : rest.slice(0, next);
  if (unreleased < 0 || section.every((line) => line.trim() === "")) throw new Error(`${changelog} describes nothing under [Unreleased].`);
  return lines.toSpliced(unreleased + 1, 0, "", heading).join("\n");
}

/**
 * The changelog's section for `version`, for a forge's release page.
 * @param base address against which relative links are resolved; without it, they stay as they are.
 * @throws {Error} if there is no such section.
 */
export function releaseNotes(root: string, version: string, base?: string): string {
  const notes = releases(readFileSync(join(root, changelog), "utf8")).get(version);
  if (notes === undefined) throw new Error(`${changelog} has no section for ${version}.`);
  return base === undefined ? notes : withCompleteLinks(notes, base);
}

/** Markdown with links relative to `base` made absolute, because registries and release pages show it elsewhere. */
export function withCompleteLinks(text: string, base: string): string {
  const folder = `${base.replace(/\/+$/, "")}/`;
  return text.replace(/\]\((?![a-z]+:|#)([^)\s]+)\)/g, (_match, target: string) => `](${new URL(target, folder).href})`);
}

/** The text of each released version's section, newest first. */
function releases(text: string): Map<string, string> {
  const sections = text.split(/^## /m).slice(1);
  return new Map(
    sections.flatMap((section) => {
      const [heading = "", ...lines] = section.split("\n");
      const version = /^\[(\d[^\]]*)\]/.exec(heading)?.[1];
      return version === undefined ? [] : [[version, `${lines.join("\n").trim()}\n`]];
    }),
  );
}
