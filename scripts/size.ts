/** Limits on the size of files and functions in `src/`, checked by `npm run check`. */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const medianLinesMax = 75;
const fileLinesMax = 220;
/** Functions of more than 50 lines: each carries a suppression of Biome's noExcessiveLinesPerFunction with its reason. */
const longFunctionsMax = 14;
const suppression = /biome-ignore lint\/complexity\/noExcessiveLinesPerFunction:/g;

export interface Sizes {
  files: number;
  medianLines: number;
  /** Files over the limit, as `path (lines)`. */
  longFiles: string[];
  longFunctions: number;
}

/** Counts lines of the TypeScript files in `root`/src, except generated ones. */
export function measureSizes(root: string): Sizes {
  const paths = globSync("src/**/*.ts", { cwd: root }).filter((path) => !path.endsWith(".generated.ts"));
  const files = paths.map((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return { path, lines: text.split("\n").length - 1, suppressions: text.match(suppression)?.length ?? 0 };
  });
  const lines = files.map((file) => file.lines).sort((one, other) => one - other);
  return {
    files: files.length,
    medianLines: lines[Math.floor(lines.length / 2)] ?? 0,
    longFiles: files.filter((file) => file.lines > fileLinesMax).map((file) => `${file.path} (${file.lines})`),
    longFunctions: files.reduce((sum, file) => sum + file.suppressions, 0),
  };
}

/** One message for each exceeded limit. */
export function sizeProblems({ medianLines, longFiles, longFunctions }: Sizes): string[] {
  return [
    ...(medianLines > medianLinesMax ? [`The median file of src has ${medianLines} lines; at most ${medianLinesMax} are allowed.`] : []),
    ...longFiles.map((file) => `${file} has more than ${fileLinesMax} lines: it is probably two ideas.`),
    ...(longFunctions > longFunctionsMax
      ? [`${longFunctions} functions of src are longer than 50 lines; at most ${longFunctionsMax} may be.`]
      : []),
  ];
}
