/** Import rules between the folders of `src`: `npm run check` rejects violations. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, test } from "node:test";
import { importProblems, importsOf, readCode, tableProblems } from "../../scripts/import-rules.ts";
import { root } from "../../scripts/stack/folders.ts";

/** The imports that are rejected; each is made by a separate file. */
function refused(imports: readonly (readonly [file: string, imported: string])[]): string[] {
  return imports
    .filter(([file, imported]) => importProblems({ [file]: `import type { A } from ${JSON.stringify(imported)};\n` }).length > 0)
    .map(([file, imported]) => `${file} imports ${imported}`);
}

const broken: [file: string, imported: string][] = [
  ["src/http/new.ts", "../browser/slots.ts"],
  ["src/http/account/new.ts", "../../browser/tab.ts"],
  ["src/http/new.ts", "../egress/vet.ts"],
  ["src/http/new.ts", "pg"],
  ["src/http/new.ts", "pg-boss"],
  ["src/http/new.ts", "ioredis"],
  ["src/http/new.ts", "@aws-sdk/client-s3"],
  ["src/http/new.ts", "better-auth"],
  ["src/http/new.ts", "@polar-sh/sdk/2026-10"],
  ["src/http/new.ts", "../capture/capture.ts"],
  ["src/http/new.ts", "../capture/options/target.ts"],
  ["src/http/new.ts", "../start/services.ts"],
  ["src/capture/new.ts", "../http/input/values.ts"],
  ["src/capture/new.ts", "../browser/chromium.ts"],
  ["src/capture/new.ts", "../screenshots/take/cache.ts"],
  ["src/capture/new.ts", "../webhooks/emit.ts"],
  ["src/capture/options/new.ts", "./frame.ts"],
  ["src/capture/options/new.ts", "../options.ts"],
  ["src/capture/options/new.ts", "../image/image.ts"],
  ["src/capture/options/new.ts", "../../browser/slots.ts"],
  ["src/capture/blocking/new.ts", "../../browser/chromium.ts"],
  ["src/capture/blocking/new.ts", "../../http/input/values.ts"],
  ["src/capture/verdict/new.ts", "pg"],
  ["src/capture/in-page/new.ts", "./freeze.ts"],
  ["src/capture/in-page/new.ts", "node:path"],
  ["src/browser/new.ts", "../egress/traffic.ts"],
  ["src/browser/new.ts", "../cdp/relay.ts"],
  ["src/cdp/new.ts", "../browser/slots.ts"],
  ["src/cdp/new.ts", "../http/input/values.ts"],
  ["src/cdp/new.ts", "pg"],
  ["src/egress/new.ts", "../shared/errors.ts"],
  ["src/accounts/new.ts", "../storage/store.ts"],
  ["src/accounts/new.ts", "pg-boss"],
  ["src/accounts/keys/new.ts", "../../screenshots/take/cache.ts"],
  ["src/accounts/people/new.ts", "nodemailer"],
  ["src/accounts/people/new.ts", "../../webhooks/emit.ts"],
  ["src/storage/new.ts", "../accounts/keys/store.ts"],
  ["src/storage/new.ts", "../start/services.ts"],
  ["src/storage/new.ts", "ioredis"],
  ["src/screenshots/take/new.ts", "../../http/input/values.ts"],
  ["src/screenshots/new.ts", "fastify"],
  ["src/screenshots/new.ts", "pg"],
  ["src/screenshots/new.ts", "../browser/slots.ts"],
  ["src/screenshots/new.ts", "../jobs/running.ts"],
  ["src/mail/new.ts", "../accounts/people/users.ts"],
  ["src/mail/new.ts", "pg"],
  ["src/jobs/new.ts", "../accounts/usage/quota.ts"],
  ["src/webhooks/new.ts", "../http/input/values.ts"],
  ["src/webhooks/new.ts", "../egress/dial.ts"],
  ["src/webhooks/new.ts", "../jobs/open-library.ts"],
  ["src/webhooks/new.ts", "../start/network.ts"],
  ["src/webhooks/new.ts", "pg"],
  ["src/mcp/new.ts", "../http/input/values.ts"],
  ["src/mcp/new.ts", "../screenshots/take/cache.ts"],
  ["src/sitemaps/new.ts", "../webhooks/post.ts"],
  ["src/sitemaps/new.ts", "../egress/dial.ts"],
  ["src/capture/image/new.ts", "../option-group.ts"],
  ["src/capture/image/new.ts", "../../telemetry/tracing.ts"],
  ["src/capture/verdict/rules/new.ts", "../../options.ts"],
  ["src/comparison/new.ts", "../capture/capture.ts"],
  ["src/comparison/new.ts", "../storage/store.ts"],
  ["src/comparison/new.ts", "../watches/watches.ts"],
  ["src/comparison/new.ts", "pg"],
  ["src/watches/new.ts", "../http/input/values.ts"],
  ["src/watches/new.ts", "../capture/capture.ts"],
  ["src/watches/new.ts", "../webhooks/post.ts"],
  ["src/watches/new.ts", "pg"],
  ["src/shared/new.ts", "../telemetry/metrics.ts"],
  ["src/settings/new.ts", "../http/http-server.ts"],
  ["src/start/services.ts", "../http/server/health.ts"],
  ["src/start/services.ts", "../egress/vet.ts"],
  ["src/start/new.ts", "../../scripts/size.ts"],
  ["src/new-room/new.ts", "../shared/errors.ts"],
  ["src/new.ts", "./shared/errors.ts"],
  ["clients/typescript/src/new.ts", "node:fs"],
  ["clients/typescript/src/new.ts", "undici"],
  ["clients/typescript/src/new.ts", "./command/files.ts"],
  ["clients/typescript/src/new.ts", "../../../src/shared/errors.ts"],
  ["clients/typescript/src/command/new.ts", "fastest-levenshtein"],
  ["clients/typescript/src/command/new.ts", "../../../../src/shared/errors.ts"],
];

test("imports between folders that the rules don't list are rejected, even of types", () => {
  assert.deepEqual(
    refused(broken),
    broken.map(([file, imported]) => `${file} imports ${imported}`),
  );
});

const allowed: [file: string, imported: string][] = [
  ["src/http/new.ts", "../shared/errors.ts"],
  ["src/http/account/new.ts", "../../webhooks/webhooks.ts"],
  ["src/http/watches/new.ts", "../../watches/watches.ts"],
  ["src/capture/new.ts", "../browser/tab.ts"],
  ["src/capture/options/new.ts", "../option-group.ts"],
  ["src/capture/options/new.ts", "../../browser/client-hints.ts"],
  ["src/storage/new.ts", "pg"],
  ["src/screenshots/new.ts", "../storage/store.ts"],
  ["src/screenshots/new.ts", "ioredis"],
  ["src/mail/new.ts", "nodemailer"],
  ["src/jobs/new.ts", "pg-boss"],
  ["src/webhooks/new.ts", "../database/database.ts"],
  ["src/webhooks/new.ts", "../jobs/queue.ts"],
  ["src/comparison/new.ts", "sharp"],
  ["src/watches/new.ts", "../comparison/compare.ts"],
  ["src/watches/new.ts", "../webhooks/emit.ts"],
  ["src/watches/new.ts", "../jobs/queue.ts"],
  ["src/sitemaps/new.ts", "saxes"],
  ["src/sitemaps/new.ts", "../shared/open-connection.ts"],
  ["src/accounts/people/new.ts", "../../mail/mailer.ts"],
  ["src/telemetry/new.ts", "@opentelemetry/api"],
  ["src/shared/version.ts", "../../package.json"],
  ["src/egress/new.ts", "node:net"],
  ["clients/typescript/src/new.ts", "./errors.ts"],
  ["clients/typescript/src/command/new.ts", "node:fs/promises"],
];

test("listed imports pass", () => {
  assert.deepEqual(refused(allowed), []);
});

test("the code follows the rules, which list each folder below those that import it", () => {
  assert.deepEqual(importProblems(readCode(root)), []);
  assert.deepEqual(tableProblems(), []);
});

test("imports of every form are found: multi-line, for side effects, re-exports and dynamic", () => {
  const code = [
    'import one, { type A } from "one";',
    'import {\n  b,\n  type C,\n} from "two";',
    'import "three";',
    'export { d } from "four";',
    'export * from "five";',
    'import type * as six from "six";',
    'const seven = await import("seven");',
    'let eight: import("eight").Type;',
    '// import none from "none"',
  ].join("\n");
  assert.deepEqual(importsOf(code), ["one", "two", "three", "four", "five", "six", "seven", "eight"]);
});

const folder = mkdtempSync(join(tmpdir(), "tintype-import-rules-"));
after(() => rmSync(folder, { recursive: true }));

/** The linter's output for the files in `code`, with this project's rules. */
function lint(code: Record<string, string>): string {
  for (const file of ["biome.json", ".gitignore"]) cpSync(file, join(folder, file));
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

test("the linter rejects import cycles, even of types, and process.env outside the entry points", () => {
  const importing = (name: string, other: string) =>
    `import type { ${other} } from "./${other}.ts";\nexport interface ${name} {\n  ${other}: ${other};\n}\n`;
  const output = lint({
    "src/capture/One.ts": importing("One", "Two"),
    "src/capture/Two.ts": importing("Two", "One"),
    "src/capture/new.ts": "export const a = process.env.HOME;\n",
  });
  assert.match(output, /noImportCycles/);
  assert.match(output, /noProcessEnv/);
});
