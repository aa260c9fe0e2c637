/** Import boundaries between folders: the linter, and so `npm run check`, rejects violations. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, test } from "node:test";

const folder = mkdtempSync(join(tmpdir(), "tintype-walls-"));
after(() => rmSync(folder, { recursive: true }));
for (const file of ["biome.json", ".gitignore"]) cpSync(file, join(folder, file));

/** The linter's output for the files of `code`: one run for all, since its start costs more than a file. */
function lint(code: Record<string, string>): string {
  rmSync(join(folder, "src"), { recursive: true, force: true });
  rmSync(join(folder, "clients"), { recursive: true, force: true });
  for (const [file, text] of Object.entries(code)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const { stdout, stderr } = spawnSync(resolve("node_modules/.bin/biome"), ["lint", "--max-diagnostics=none", "."], {
    cwd: folder,
    encoding: "utf8",
  });
  return stdout + stderr;
}

/** A file for each import, with which of them the linter refuses as crossing a wall. */
function refusals(imports: readonly (readonly [file: string, imported: string])[]): string[] {
  const files = imports.map(([file, imported], index) => ({ path: file.replace("new.ts", `new-${index}.ts`), file, imported }));
  const lines = lint(
    Object.fromEntries(files.map(({ path, imported }) => [path, `import { a } from ${JSON.stringify(imported)};\nexport const b = a;\n`])),
  ).split("\n");
  return files
    .filter(({ path }) => lines.some((line) => line.startsWith(`${path}:`) && line.includes("noRestrictedImports")))
    .map(({ file, imported }) => `${file} imports ${imported}`);
}

const broken: [file: string, imported: string][] = [
  ["src/http/new.ts", "../browser/slots.ts"],
  ["src/http/management/new.ts", "../../browser/tab.ts"],
  ["src/http/new.ts", "../egress/vet.ts"],
  ["src/http/new.ts", "pg"],
  ["src/http/new.ts", "ioredis"],
  ["src/http/new.ts", "@aws-sdk/client-s3"],
  ["src/http/new.ts", "better-auth"],
  ["src/http/new.ts", "@polar-sh/sdk/2026-10"],
  ["src/http/new.ts", "../capture/options/target.ts"],
  ["clients/typescript/src/new.ts", "node:fs"],
  ["clients/typescript/src/new.ts", "undici"],
  ["clients/typescript/src/new.ts", "./command/files.ts"],
  ["clients/typescript/src/new.ts", "../../../src/errors.ts"],
  ["clients/typescript/src/command/new.ts", "fastest-levenshtein"],
  ["clients/typescript/src/command/new.ts", "../../../../src/errors.ts"],
  ["src/capture/new.ts", "../http/query.ts"],
  ["src/capture/new.ts", "../browser/chromium.ts"],
  ["src/capture/options/new.ts", "./frame.ts"],
  ["src/capture/options/new.ts", "../options.ts"],
  ["src/capture/blocking/new.ts", "../../http/query.ts"],
  ["src/capture/verdict/new.ts", "../../http/query.ts"],
  ["src/capture/verdict/new.ts", "pg"],
  ["src/http/new.ts", "../capture/capture.ts"],
  ["src/capture/blocking/new.ts", "../../browser/chromium.ts"],
  ["src/browser/new.ts", "../egress/lane.ts"],
  ["src/browser/new.ts", "../cdp/relay.ts"],
  ["src/cdp/new.ts", "../browser/slots.ts"],
  ["src/cdp/new.ts", "../http/query.ts"],
  ["src/cdp/new.ts", "pg"],
  ["src/egress/new.ts", "../errors.ts"],
  ["src/accounts/new.ts", "../images/store.ts"],
  ["src/images/new.ts", "../accounts/keys/store.ts"],
  ["src/images/new.ts", "../services.ts"],
  ["src/images/new.ts", "ioredis"],
  ["src/screenshots/new.ts", "../http/query.ts"],
  ["src/screenshots/new.ts", "fastify"],
  ["src/screenshots/new.ts", "pg"],
  ["src/screenshots/new.ts", "../browser/slots.ts"],
  ["src/capture/new.ts", "../screenshots/cache.ts"],
  ["src/accounts/keys/new.ts", "../../screenshots/cache.ts"],
  ["src/capture/in-page/new.ts", "../capture-image.ts"],
  ["src/mail/new.ts", "../accounts/people/users.ts"],
  ["src/mail/new.ts", "pg"],
  ["src/accounts/people/new.ts", "nodemailer"],
  ["src/jobs/new.ts", "../accounts/usage/quota.ts"],
  ["src/jobs/new.ts", "../screenshots/take.ts"],
  ["src/http/new.ts", "pg-boss"],
  ["src/accounts/new.ts", "pg-boss"],
  ["src/webhooks/new.ts", "../http/query.ts"],
  ["src/webhooks/new.ts", "../capture/capture.ts"],
  ["src/webhooks/new.ts", "../browser/slots.ts"],
  ["src/webhooks/new.ts", "../egress/dial.ts"],
  ["src/webhooks/new.ts", "../network.ts"],
  ["src/webhooks/new.ts", "pg"],
  ["src/mcp/new.ts", "../http/query.ts"],
  ["src/mcp/new.ts", "../screenshots/cache.ts"],
  ["src/sitemaps/new.ts", "../webhooks/post.ts"],
  ["src/sitemaps/new.ts", "../egress/dial.ts"],
  ["src/comparison/new.ts", "../capture/capture.ts"],
  ["src/comparison/new.ts", "../images/store.ts"],
  ["src/comparison/new.ts", "../http/query.ts"],
  ["src/comparison/new.ts", "pg"],
  ["src/comparison/new.ts", "../watches/watches.ts"],
  ["src/watches/new.ts", "../http/query.ts"],
  ["src/watches/new.ts", "../capture/capture.ts"],
  ["src/watches/new.ts", "../webhooks/post.ts"],
  ["src/watches/new.ts", "pg"],
  ["src/capture/new.ts", "../webhooks/emit.ts"],
  ["src/accounts/people/new.ts", "../../webhooks/emit.ts"],
  ["src/start/services.ts", "./http/health.ts"],
];

test("imports across a wall are refused", () => {
  assert.deepEqual(
    refusals(broken),
    broken.map(([file, imported]) => `${file} imports ${imported}`),
  );
});

const allowed: [file: string, imported: string][] = [
  ["src/http/new.ts", "../errors.ts"],
  ["src/capture/new.ts", "../browser/tab.ts"],
  ["src/capture/options/new.ts", "../option-group.ts"],
  ["src/images/new.ts", "pg"],
  ["src/screenshots/new.ts", "../images/store.ts"],
  ["src/screenshots/new.ts", "ioredis"],
  ["src/mail/new.ts", "nodemailer"],
  ["src/jobs/new.ts", "pg-boss"],
  ["src/webhooks/new.ts", "../database.ts"],
  ["src/comparison/new.ts", "sharp"],
  ["src/watches/new.ts", "../comparison/compare.ts"],
  ["src/watches/new.ts", "../webhooks/emit.ts"],
  ["src/watches/new.ts", "../jobs/queue.ts"],
  ["src/http/watches/new.ts", "../../watches/watches.ts"],
  ["src/sitemaps/new.ts", "saxes"],
  ["src/sitemaps/new.ts", "../open-connection.ts"],
  ["src/webhooks/new.ts", "../jobs/queue.ts"],
  ["src/http/management/new.ts", "../../webhooks/webhooks.ts"],
  ["src/accounts/people/new.ts", "../../mail/mailer.ts"],
];

test("allowed imports pass", () => {
  assert.deepEqual(refusals(allowed), []);
});

test("import cycles are rejected, even for types", () => {
  const importing = (name: string, other: string) =>
    `import type { ${other} } from "./${other}.ts";\nexport interface ${name} {\n  ${other}: ${other};\n}\n`;
  assert.match(lint({ "src/capture/One.ts": importing("One", "Two"), "src/capture/Two.ts": importing("Two", "One") }), /noImportCycles/);
});

test("process.env is allowed in the entry points only", () => {
  assert.match(lint({ "src/capture/new.ts": "export const a = process.env.HOME;\n" }), /noProcessEnv/);
});
