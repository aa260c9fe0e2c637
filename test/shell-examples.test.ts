/** Shell examples of the documentation, run as they are printed, against a service and a site of the test. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../scripts/stack/folders.ts";
import { createSignatures } from "../src/accounts/keys/signature.ts";
import { systemClock } from "../src/shared/clock.ts";
import { onlyLong } from "./support/long-only.ts";
import { fileScope } from "./support/scope.ts";
import { startService } from "./support/service.ts";
import { createSite } from "./support/site.ts";

const scope = fileScope();
/** Has what the examples look for. */
const page = `<!doctype html><title>Example</title><h1>Example</h1><div id="app"></div><main class="ready"><p>Text</p><a href="/next">Next</a></main>
  <input id="search" onkeydown="if (event.key === 'Enter') document.body.insertAdjacentHTML('beforeend', '<ul id=results><li>chairs</ul>')">
  ${"<article>Article</article>".repeat(10)}<footer>End</footer>`;
const sitemap = (origin: string) =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${origin}/</loc></url></urlset>`;
const site = await createSite(scope, {
  "/": page,
  "/pricing": page,
  "/sitemap.xml": (_, response) => response.setHeader("content-type", "application/xml").end(sitemap(site.origin)),
});
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, WEBHOOK_ALLOW_HTTP: "true" });
const { key } = await service.createAccount();
const { rows } = await service.pool.query("select id from api_keys");
const signingSecret = createSignatures(service.env.AUTH_SECRET ?? "", systemClock).secretOf(rows[0].id);
/** Of an earlier screenshot, for `compare_to`. */
const earlier = (await service.take({ api_key: key, url: `${site.origin}/` })).headers.get("x-screenshot-id") ?? "";

/** Those that call the service, without those that install something or need a container engine. */
async function examplesOf(path: string): Promise<string[]> {
  const text = await readFile(join(root, path), "utf8");
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  return blocks.filter((block) => block.includes("http://localhost:3000") || block.includes("npm run tintype"));
}

/** With the addresses of the test. */
function adapted(example: string): string {
  return example
    .replaceAll("http://localhost:3000", service.origin)
    .replaceAll(/https:\/\/(example\.(?:com|org|net))/g, site.origin)
    .replaceAll(/https%3A%2F%2F(?:www\.)?example\.(?:com|org)/g, encodeURIComponent(site.origin))
    .replaceAll("https://hooks.example.com", site.origin)
    .replaceAll(/\b019ab9c2-[-0-9a-f]+/g, earlier)
    .replaceAll("; Secure", "") // the test's site has no https
    .replaceAll("$(cat .local/api-key)", key);
}

/** @returns what a shell printed that ran the examples one after the other, as variables of one are used by the next. */
async function run(examples: string[], folder: string): Promise<{ code: number; output: string }> {
  const client = `npm() { shift 3; "${process.execPath}" "${join(root, "clients/typescript/src/command/main.ts")}" "$@"; }`;
  const script = [
    "set -Eeu -o pipefail",
    "trap 'cat \"$(ls -t | head -1)\"' ERR",
    client,
    ...examples.map((example) => `echo "--- next"\n${adapted(example)}`),
  ].join("\n");
  await writeFile(join(folder, ".curlrc"), "silent\nshow-error\n");
  const shell = spawn("bash", ["-c", script], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", HOME: folder, TINTYPE_KEY: key, TINTYPE_URL: service.origin, SIGNING_SECRET: signingSecret },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [shell.stdout, shell.stderr])
    stream.on("data", (chunk) => {
      output += chunk;
    });
  const [code] = await once(shell, "close");
  return { code, output };
}

const pages: [path: string, examples: number][] = [
  ["README.md", 1],
  ["docs/using.md", 9],
  ["docs/batches.md", 3],
  ["docs/comparing.md", 2],
  ["docs/watches.md", 1],
  ...onlyLong<[string, number]>([["docs/options.md", 24]]),
];

for (const [path, count] of pages) {
  test(`shell examples of ${path} run as printed`, { timeout: 240_000 }, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "tintype-examples-"));
    t.after(() => rm(folder, { recursive: true }));
    const examples = await examplesOf(path);
    assert.ok(examples.length >= count, `${examples.length} examples`);
    const { code, output } = await run(examples, folder);
    assert.equal(code, 0, output);
  });
}
