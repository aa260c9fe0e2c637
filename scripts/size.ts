/** Limits on the files, functions and folders in `src/`, checked by `npm run check`. Run directly, this prints the counts. */

import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { importsOf } from "./import-rules.ts";
import { root as projectRoot } from "./stack/folders.ts";

/** Leaves room for merging small files that belong together. */
const medianLinesMax = 100;
const fileLinesMax = 220;
/** Functions with more than 50 lines: each has a suppression of Biome's noExcessiveLinesPerFunction with the reason. */
const longFunctionsMax = 17;
/** The two entry points. */
const rootFilesMax = 2;
const topLevelMax = 23;
const importsMax = 110;
const folderFilesMax = 26;
/** Functions that run in the page: many, because each is serialized as a whole, and shares no code with others. */
const largeFolder = "src/capture/in-page";
const suppression = /biome-ignore lint\/complexity\/noExcessiveLinesPerFunction:/g;

export interface Sizes {
  files: number;
  lines: number;
  medianLines: number;
  /** Files over the limit, as `path (lines)`. */
  longFiles: string[];
  longFunctions: number;
  /** Files directly in `src`. */
  rootFiles: number;
  /** Folders and files directly in `src`. */
  topLevel: number;
  /** Pairs of folders or files directly in `src` of which one imports the other. */
  imports: number;
  /** Folders with too many files, as `path (files)`. */
  fullFolders: string[];
  /** Number of lines in each folder and file directly in `src`. */
  linesByFolder: Record<string, number>;
}

const topLevelOf = (path: string) => path.split("/")[1] ?? path;

/** Counts the source files of `root`/src, except generated ones. */
export function measureSizes(root: string): Sizes {
  const paths = globSync("src/**/*.{ts,js}", { cwd: root }).filter((path) => !path.endsWith(".generated.ts"));
  const files = paths.map((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return { path, text, lines: text.split("\n").length - 1 };
  });
  const lines = files.map((file) => file.lines).sort((one, other) => one - other);
  const imports = files.flatMap(({ path, text }) =>
    importsOf(text)
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => topLevelOf(posix.join(posix.dirname(path), specifier)))
      .filter((target) => target !== topLevelOf(path))
      .map((target) => `${topLevelOf(path)} -> ${target}`),
  );
  const folders = Map.groupBy(paths, (path) => posix.dirname(path));
  const linesByFolder: Record<string, number> = {};
  for (const file of files) linesByFolder[topLevelOf(file.path)] = (linesByFolder[topLevelOf(file.path)] ?? 0) + file.lines;
  return {
    files: files.length,
    lines: lines.reduce((sum, one) => sum + one, 0),
    medianLines: lines[Math.floor(lines.length / 2)] ?? 0,
    longFiles: files.filter((file) => file.lines > fileLinesMax).map((file) => `${file.path} (${file.lines})`),
    longFunctions: files.reduce((sum, file) => sum + (file.text.match(suppression)?.length ?? 0), 0),
    rootFiles: folders.get("src")?.length ?? 0,
    topLevel: Object.keys(linesByFolder).length,
    imports: new Set(imports.filter((pair) => !pair.endsWith("package.json"))).size,
    fullFolders: [...folders]
      .filter(([folder, inside]) => folder !== largeFolder && inside.length > folderFilesMax)
      .map(([folder, inside]) => `${folder} (${inside.length})`),
    linesByFolder,
  };
}

/** One message for each exceeded limit. */
export function sizeProblems(sizes: Sizes): string[] {
  const atMost = (count: number, max: number, message: string) => (count > max ? [`${message}; at most ${max} are allowed.`] : []);
  return [
    ...atMost(sizes.medianLines, medianLinesMax, `The median file of src has ${sizes.medianLines} lines`),
    ...sizes.longFiles.map((file) => `${file} has more than ${fileLinesMax} lines: it is probably two ideas.`),
    ...atMost(sizes.longFunctions, longFunctionsMax, `${sizes.longFunctions} functions of src have more than 50 lines`),
    ...atMost(sizes.rootFiles, rootFilesMax, `${sizes.rootFiles} files are directly in src`),
    ...atMost(sizes.topLevel, topLevelMax, `src has ${sizes.topLevel} folders and files directly in it`),
    ...atMost(sizes.imports, importsMax, `src has ${sizes.imports} pairs of folders of which one imports the other`),
    ...sizes.fullFolders.map((folder) => `${folder} has more than ${folderFilesMax} files.`),
  ];
}

if (import.meta.main) {
  const { linesByFolder, ...counts } = measureSizes(projectRoot);
  console.log(counts);
  for (const [folder, lines] of Object.entries(linesByFolder).sort(([, one], [, other]) => other - one)) console.log(`${lines}\t${folder}`);
}
