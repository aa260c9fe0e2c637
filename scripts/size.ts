/** Limits on the files, functions and folders in `src/`, checked by `npm run check`; when run alone, it prints the counts. */

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
const roomsMax = 23;
const arrowsMax = 110;
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
  /** Folders directly in `src`, and the files beside them. */
  rooms: number;
  /** Pairs of rooms one of which imports the other. */
  arrows: number;
  /** Folders with too many files, as `path (files)`. */
  fullFolders: string[];
  /** Number of lines in each folder directly in `src`. */
  linesByRoom: Record<string, number>;
}

const roomOf = (path: string) => path.split("/")[1] ?? path;

/** Counts the source files of `root`/src, except generated ones. */
export function measureSizes(root: string): Sizes {
  const paths = globSync("src/**/*.{ts,js}", { cwd: root }).filter((path) => !path.endsWith(".generated.ts"));
  const files = paths.map((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return { path, text, lines: text.split("\n").length - 1 };
  });
  const lines = files.map((file) => file.lines).sort((one, other) => one - other);
  const arrows = files.flatMap(({ path, text }) =>
    importsOf(text)
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => roomOf(posix.join(posix.dirname(path), specifier)))
      .filter((room) => room !== roomOf(path))
      .map((room) => `${roomOf(path)} -> ${room}`),
  );
  const folders = Map.groupBy(paths, (path) => posix.dirname(path));
  const linesByRoom: Record<string, number> = {};
  for (const file of files) linesByRoom[roomOf(file.path)] = (linesByRoom[roomOf(file.path)] ?? 0) + file.lines;
  return {
    files: files.length,
    lines: lines.reduce((sum, one) => sum + one, 0),
    medianLines: lines[Math.floor(lines.length / 2)] ?? 0,
    longFiles: files.filter((file) => file.lines > fileLinesMax).map((file) => `${file.path} (${file.lines})`),
    longFunctions: files.reduce((sum, file) => sum + (file.text.match(suppression)?.length ?? 0), 0),
    rootFiles: folders.get("src")?.length ?? 0,
    rooms: Object.keys(linesByRoom).length,
    arrows: new Set(arrows.filter((arrow) => !arrow.endsWith("package.json"))).size,
    fullFolders: [...folders]
      .filter(([folder, inside]) => folder !== largeFolder && inside.length > folderFilesMax)
      .map(([folder, inside]) => `${folder} (${inside.length})`),
    linesByRoom,
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
    ...atMost(sizes.rooms, roomsMax, `src has ${sizes.rooms} rooms (folders and files directly in it)`),
    ...atMost(sizes.arrows, arrowsMax, `The rooms of src have ${sizes.arrows} arrows (pairs of which one imports the other)`),
    ...sizes.fullFolders.map((folder) => `${folder} has more than ${folderFilesMax} files.`),
  ];
}

if (import.meta.main) {
  const { linesByRoom, ...counts } = measureSizes(projectRoot);
  console.log(counts);
  for (const [room, lines] of Object.entries(linesByRoom).sort(([, one], [, other]) => other - one)) console.log(`${lines}\t${room}`);
}
