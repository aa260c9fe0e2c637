/**
 * `npm run release -- VERSION`: writes the version into every file that states it. `-- --notes [VERSION] [--links ADDRESS]` prints the
 * changelog's section for a version, by default the current one, with its relative links resolved against ADDRESS. `-- --readmes --links
 * ADDRESS` does the same for the links in the clients' READMEs, before they are packed.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runProgram } from "./stack/child.ts";
import { runCommand } from "./stack/command.ts";
import { root } from "./stack/folders.ts";
import { interruption } from "./stack/interrupt.ts";
import { currentVersion, releaseNotes, setVersion, versionProblems, withCompleteLinks } from "./versions.ts";

const signal = interruption();
await runCommand(main, signal);

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { notes: { type: "boolean" }, readmes: { type: "boolean" }, links: { type: "string" } },
  });
  const [version = currentVersion(root), ...rest] = positionals;
  if (values.readmes && values.links !== undefined && positionals.length === 0) return completeReadmes(values.links);
  if (rest.length > 0 || values.readmes || (!values.notes && positionals.length === 0))
    throw new Error("Usage: npm run release -- VERSION | --notes [VERSION] [--links ADDRESS] | --readmes --links ADDRESS");
  if (values.notes) process.stdout.write(releaseNotes(root, version, values.links));
  else await prepare(version);
  return 0;
}

function completeReadmes(base: string): number {
  for (const folder of ["clients/typescript", "clients/python"]) {
    const file = join(root, folder, "README.md");
    writeFileSync(file, withCompleteLinks(readFileSync(file, "utf8"), `${base.replace(/\/+$/, "")}/${folder}`));
  }
  return 0;
}

async function prepare(version: string): Promise<void> {
  setVersion(root, version, new Date().toISOString().slice(0, 10));
  await runProgram([process.execPath, "scripts/generate.ts"], { cwd: root, timeoutMs: 60_000, signal });
  const problems = versionProblems(root);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  console.log(
    [
      `Every file now names ${version}. Review the changes, then publish them; the tag starts the release workflow:`,
      "",
      `  git commit --all --message "Release ${version}"`,
      `  git tag --annotate v${version} --message "Tintype ${version}"`,
      `  git push --atomic origin HEAD v${version}`,
    ].join("\n"),
  );
}
