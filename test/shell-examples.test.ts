/** The documentation's shell examples, run verbatim against a service and site started by the test. */

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { root } from "../scripts/stack/folders.ts";
import { createSignatures } from "../src/accounts/keys/restrictions.ts";
import { systemClock } from "../src/shared/clock.ts";
import { observer, startStorage } from "./storage/storage-server.ts";
import { onlyLong } from "./support/long-only.ts";
import { startProxy } from "./support/proxies.ts";
import { fileScope } from "./support/scope.ts";
import { startService } from "./support/service.ts";
import { createSite } from "./support/site.ts";

const scope = fileScope();
/** A page with everything that the examples look for. */
const page = `<!doctype html><title>Example</title><h1>Example</h1><div id="app"></div><main class="ready"><p>Text</p><a href="/next">Next</a></main>
  <nav id="menu">Menu<ul><li>Products</ul></nav>
  <input id="search" onkeydown="if (event.key === 'Enter') document.body.insertAdjacentHTML('beforeend', '<ul id=results><li>chairs</ul>')">
  ${"<article>Article</article>".repeat(10)}<footer>End</footer>`;
const sitemap = (origin: string) =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${origin}/</loc></url></urlset>`;
const site = await createSite(scope, {
  "/": page,
  "/pricing": page,
  "/login": ({ method }, response) => {
    const form = "<form method=post><input id=user><input id=password type=password><button>Sign in</button></form>";
    if (method === "POST") response.setHeader("set-cookie", "sid=1");
    response.setHeader("content-type", "text/html").end(method === "POST" ? `<ul class="orders"><li>4711</ul>` : form);
  },
  "/sitemap.xml": (_, response) => response.setHeader("content-type", "application/xml").end(sitemap(site.origin)),
});
const proxy = await startProxy(scope, "http");
const storage = await startStorage(scope);
await observer(scope, storage.port).send(new CreateBucketCommand({ Bucket: "our-pages" }));
const service = await startService(scope, {
  EGRESS_ALLOWED_HOSTS: `${site.host},127.0.0.1:${storage.port}`,
  WEBHOOK_ALLOW_HTTP: "true",
  PROXIES: `de=${proxy.url}`,
  SCREENSHOT_TIMEOUT: "90000", // the recordings have 100 frames
});
const { key } = await service.createAccount();
const { rows } = await service.pool.query("select id from api_keys");
const signingSecret = createSignatures(service.env.AUTH_SECRET ?? "", systemClock).secretOf(rows[0].id);
/** Id of an earlier screenshot, for `compare_to`. */
const earlier = (await service.take({ api_key: key, url: `${site.origin}/` })).headers.get("x-screenshot-id") ?? "";

/** All fenced shell examples on a page, including those in lists. */
async function blocksOf(path: string): Promise<string[]> {
  const text = await readFile(join(root, path), "utf8");
  const blocks = [...text.matchAll(/^( *)```(?:sh|bash|shell|console)\n(.*?)^\1```$/gms)];
  return blocks.map(([, indent = "", block = ""]) => block.replaceAll(new RegExp(`^${indent}`, "gm"), ""));
}

const callsService = (block: string) => ["http://localhost:3000", "npm run tintype", ".local/api-key"].some((part) => block.includes(part));

/** The examples that call the service, which run here. */
async function examplesOf(path: string): Promise<string[]> {
  return (await blocksOf(path)).filter(callsService);
}

/** Patterns of the other examples, which are only parsed, and why they don't run here. */
const onlyParsed: [RegExp, string][] = [
  [
    /^npm run local$|npm run local -- cli/m,
    "starts the service, or requires a running one: test/scripts/local.test.ts and local-cli.test.ts",
  ],
  [/^node --env-file=\.env src\/server\.js/m, "requires an installed PostgreSQL, Redis and object storage: test/start"],
  [/\bdocker\b|COMPOSE_FILE/, "requires a container engine: test/deploy"],
  [/^pg_dump /m, "requires PostgreSQL's client programs: test/database"],
  [/\b(helm|kubectl)\b/, "requires a cluster: test/deploy/chart.test.ts"],
  [
    /^npm ci$|npm pack|npm install|npx tintype|pip install/m,
    "installs packages: packed.long.test.ts and python.long.test.ts in test/clients, test/web",
  ],
];

/** The example with the test's addresses. */
function adapted(example: string): string {
  return example
    .replaceAll("http://localhost:3000", service.origin)
    .replaceAll(/https:\/\/(example\.(?:com|org|net))/g, site.origin)
    .replaceAll(/https%3A%2F%2F(?:www\.)?example\.(?:com|org)/g, encodeURIComponent(site.origin))
    .replaceAll("https://hooks.example.com", site.origin)
    .replaceAll("https://s3.eu-central-1.amazonaws.com", `http://127.0.0.1:${storage.port}`)
    .replaceAll(/\b019ab9c2-[-0-9a-f]+/g, earlier)
    .replaceAll("; Secure", "") // the test's site has no https
    .replaceAll("$(cat .local/api-key)", key);
}

/** @returns the output of a shell that ran the examples in order, because later ones use variables of earlier ones. */
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

/** The npm scripts of the project and of the dashboard. */
const scripts = new Set(
  ["package.json", "web/package.json"].flatMap((file) => Object.keys(JSON.parse(readFileSync(join(root, file), "utf8")).scripts)),
);

const pages: [path: string, examples: number][] = [
  ["README.md", 1],
  ["docs/comparing.md", 2],
  ["docs/proxies.md", 1],
  ["docs/destinations.md", 1],
  ["docs/watches.md", 1],
];
/** Pages whose examples take longer. */
const longPages: typeof pages = [
  ["docs/using.md", 9],
  ["docs/sessions.md", 1],
  ["docs/options.md", 25],
  ["docs/batches.md", 4],
  ["docs/motion.md", 1],
];

test("every shell example on every page is valid shell, and is run unless it needs more than a test has", async () => {
  const folders = ["", "docs", "docs/decisions", "web", "clients/*", "charts/*", "bench", "fidelity"];
  const paths = folders.flatMap((folder) => globSync(join(folder, "*.md"), { cwd: root }));
  const run = new Set([...pages, ...longPages].map(([path]) => path));
  assert.ok(paths.length > 50, `${paths.length} pages`);
  let parsed = 0;
  for (const path of paths) {
    for (const block of await blocksOf(path)) {
      const { status, stderr } = spawnSync("bash", ["-n"], { input: block, encoding: "utf8" });
      assert.equal(status, 0, `${path}: ${stderr}\n${block}`);
      for (const [, script = ""] of block.matchAll(/npm run ([a-z:]+)/g)) assert.ok(scripts.has(script), `${path}: npm run ${script}`);
      if (run.has(path) && callsService(block)) continue;
      parsed += 1;
      assert.ok(
        onlyParsed.some(([pattern]) => pattern.test(block)),
        `${path}: nothing runs this example:\n${block}`,
      );
    }
  }
  assert.ok(parsed >= 15, `${parsed} examples are only parsed`);
});

for (const [path, count] of [...pages, ...onlyLong(longPages)]) {
  test(`shell examples of ${path} run as printed`, { timeout: 240_000 }, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "tintype-examples-"));
    t.after(() => rm(folder, { recursive: true }));
    const examples = await examplesOf(path);
    assert.ok(examples.length >= count, `${examples.length} examples`);
    const { code, output } = await run(examples, folder);
    assert.equal(code, 0, output);
  });
}
