/** Linting of workflows, issue forms and Dockerfiles; `npm run check` lints those of this checkout. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { dockerfileProblems, formProblems, lintPackages, workflowProblems } from "../../scripts/lint.ts";

const packages = await lintPackages(AbortSignal.timeout(120_000));

function folderWith(t: TestContext, file: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "tintype-lint-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, file), text);
  return folder;
}

const commit = "0123456789abcdef0123456789abcdef01234567";
const workflow = ({ uses = `actions/checkout@${commit}`, run = "echo hello", runner = "ubuntu-24.04" }) =>
  `on: push\njobs:\n  one:\n    runs-on: ${runner}\n    steps:\n      - uses: ${uses}\n      - run: ${JSON.stringify(run)}\n`;

test("a correct workflow has no problems; unknown names, unpinned actions and broken scripts are problems", async (t) => {
  const problems = async (parts: Parameters<typeof workflow>[0]) =>
    (await workflowProblems(packages, folderWith(t, "one.yml", workflow(parts)), "one.yml")).join("\n");
  assert.equal(await problems({}), "");
  assert.match(await problems({ runner: "ubuntu-1.0" }), /^one\.yml:4: label "ubuntu-1\.0" is unknown/);
  const printed = (name: string) => `echo $\{{ github.${name} }}`;
  assert.match(await problems({ run: printed("nothing") }), /^one\.yml:7: property "nothing" is not defined/);
  assert.match(await problems({ run: printed("event.issue.title") }), /potentially untrusted/);
  assert.match(await problems({ uses: "actions/checkout@v6" }), /one uses actions\/checkout@v6; pin it by its commit/);
  assert.match(await problems({ run: "if true; then echo" }), /one: bash: .*syntax error/);
});

test("a Dockerfile with an unknown instruction or a missing argument has a problem", async (t) => {
  const problems = (text: string) => dockerfileProblems(packages, folderWith(t, "Dockerfile", text), "Dockerfile");
  assert.deepEqual(await problems("FROM debian:bookworm-slim\nRUN true\n"), []);
  assert.match((await problems("FROM debian\nRAN true\n")).join(), /^Dockerfile:2: Unknown instruction: RAN/);
  assert.match((await problems("FROM debian\nCOPY a\n")).join(), /^Dockerfile:2: COPY requires at least two arguments/);
});

test("an issue form with an unlabeled field or a duplicate id has a problem", () => {
  const form = (fields: string) => formProblems(`name: A\ndescription: B\nbody:\n${fields}`, "a.yml").join();
  const field = (id: string, attributes = "{ label: A }") => `  - { type: input, id: ${id}, attributes: ${attributes} }\n`;
  assert.equal(form(field("a") + field("b")), "");
  assert.equal(form(field("a") + field("a")), "a.yml has two fields with the same id");
  assert.equal(form(field("a", "{}")), "a.yml: the field a has no id, label or known type");
});
