/** `npm run check`: all static checks. */

import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { formProblems } from "./forms.ts";
import { importProblems, readCode, tableProblems } from "./import-rules.ts";
import { brokenLinks } from "./links.ts";
import { lintProblems } from "./lint.ts";
import { patternProblems } from "./patterns.ts";
import { measureSizes, sizeProblems } from "./size.ts";
import { runProgram } from "./stack/child.ts";
import { root } from "./stack/folders.ts";
import { interruption } from "./stack/interrupt.ts";
import { builtWeb } from "./stack/web.ts";
import { versionProblems } from "./versions.ts";

interface Step {
  name: string;
  /** Rejects with the message to print. */
  run(): Promise<unknown>;
}

const signal = interruption();
const node = process.execPath;

function program(file: string, ...args: string[]): () => Promise<string> {
  // Outside CI, knip reports lefthook as unused until its git hook is installed.
  const env = { ...process.env, CI: "true" };
  return () => runProgram([node, join(root, file), ...args], { cwd: root, env, timeoutMs: 5 * 60_000, signal, outputLines: 500 });
}

function checkLinks(): string[] {
  const ignored = /(^|[\\/])(node_modules|\.local|\.git)([\\/]|$)/;
  return brokenLinks(root, globSync("**/*.md", { cwd: root, exclude: (name) => ignored.test(name) }));
}

/** A step that fails if `check` finds problems. */
function finding(check: () => readonly string[] | Promise<readonly string[]>): () => Promise<void> {
  return async () => {
    const problems = await check();
    if (problems.length > 0) throw new Error(problems.join("\n"));
  };
}

/** Checks the dashboard's types in its build folder, where its packages are installed. */
async function checkWeb(): Promise<void> {
  const folder = await builtWeb(signal, () => {});
  await program("node_modules/typescript/bin/tsc", "--noEmit", "-p", folder)();
}

/**
 * Checks the benchmark's types. Its packages are large, and only `npm run bench` installs them. Without them, only imports of the service's
 * own code are checked.
 */
async function checkBench(): Promise<void> {
  const check = program("node_modules/typescript/bin/tsc", "--noEmit", "-p", "bench");
  const isMissingExport = (line: string) => /: error TS(2305|2459|2613|2614|2724): /.test(line);
  await check().catch((error: Error) => {
    if (existsSync(join(root, "bench/node_modules"))) throw error;
    const missing = error.message.split("\n").filter(isMissingExport);
    if (missing.length > 0) throw new Error(missing.join("\n"));
  });
}

const steps: Step[] = [
  { name: "Biome", run: program("node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings") },
  { name: "TypeScript", run: program("node_modules/typescript/bin/tsc", "--noEmit", "-p", ".") },
  { name: "TypeScript of web", run: checkWeb },
  { name: "TypeScript of the client", run: program("node_modules/typescript/bin/tsc", "--noEmit", "-p", "clients/typescript") },
  {
    name: "TypeScript of the command",
    run: program("node_modules/typescript/bin/tsc", "--noEmit", "-p", "clients/typescript/tsconfig.command.json"),
  },
  { name: "TypeScript of the benchmark", run: checkBench },
  { name: "Unused code", run: program("node_modules/knip/bin/knip.js") },
  { name: "Generated files", run: program("scripts/generate.ts", "--check") },
  { name: "Links", run: finding(checkLinks) },
  { name: "Versions", run: finding(() => versionProblems(root)) },
  { name: "Workflows and Dockerfiles", run: finding(() => lintProblems(root, signal)) },
  { name: "Import rules", run: finding(() => [...tableProblems(), ...importProblems(readCode(root))]) },
  { name: "Sizes", run: finding(() => sizeProblems(measureSizes(root))) },
  { name: "Members of forms", run: finding(() => formProblems(root)) },
  { name: "Regular expressions", run: finding(() => patternProblems(root)) },
];

let failed = false;
for (const { name, run } of steps) {
  try {
    await run();
    console.log(`${name}: fine`);
  } catch (error) {
    if (signal.aborted) process.exit(130);
    failed = true;
    console.log(`${name}: FAILED\n${error instanceof Error ? error.message : error}\n`);
  }
}
process.exit(failed ? 1 : 0);
