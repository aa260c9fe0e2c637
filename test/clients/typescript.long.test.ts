/** The TypeScript client, as it is published, in Node 20. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { root } from "../../scripts/stack/folders.ts";
import { fileScope } from "../support/scope.ts";
import { startService } from "../support/service.ts";
import { createSite } from "../support/site.ts";
import { expectedOfEveryFace, page, signingSecretOf } from "./expected.ts";
import { installClient, node20 } from "./package.ts";
import { samplesIn } from "./samples.ts";

const scope = fileScope();
const run = promisify(execFile);
const site = await createSite(scope, { "/": page });
const { folder } = await installClient(scope);
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, WEBHOOK_ALLOW_HTTP: "true", SCREENSHOT_TIMEOUT: "90000" });

test("every call of the installed client works in Node 20", async () => {
  const { key } = await service.createAccount();
  await cp(join(root, "test/clients/every-face.mjs"), join(folder, "every-face.mjs"));
  const settings = { url: service.origin, key, secret: await signingSecretOf(service, key), page: `${site.origin}/` };
  await writeFile(
    join(folder, "main.mjs"),
    `import * as client from "@tintype/client";
     import { everyFace } from "./every-face.mjs";
     console.log(JSON.stringify({ node: process.version, ...(await everyFace(client, ${JSON.stringify(settings)})) }));`,
  );
  const { stdout } = await run(await node20(), ["main.mjs"], { cwd: folder, maxBuffer: 1e8 });
  const { node, ...result } = JSON.parse(stdout);
  assert.match(node, /^v20\./);
  assert.deepEqual(result, expectedOfEveryFace(site));
});

/** Names that samples in the docs leave for readers to define. */
const given = `declare const process: { env: Record<string, string | undefined> };
  declare const key: string, id: string, signal: AbortSignal;`;

test("TypeScript 6 and 7 find its types with both module resolutions, and accept the samples on all pages", async () => {
  const program = `import { createTintype, TintypeError, type Taken } from "@tintype/client";
    const tintype = createTintype({ url: "https://screenshots.example.com", key: "ss_1" });
    export const taken: Taken = await tintype.take({ url: "https://example.com", full_page: true });
    export const capture = await tintype.captures.create({ url: "https://example.com", outputs: [{}], async: true });
    export const status: "queued" | "running" | "done" | "failed" | "canceled" = capture.status;
    for await (const { counts } of tintype.batches.progress("1")) Math.max(counts.done);
    export const isOurs = (error: unknown) => error instanceof TintypeError && error.code === "rate_limited";
    await tintype.take({ url: "https://example.com", headers: { "Accept-Language": "de" }, cookies: { session: "1" } });
    await tintype.take({ url: "https://example.com", headers: ["Accept-Language: de"], cookies: ["session=1; Path=/"] });
    // @ts-expect-error: no such option
    await tintype.take({ url: "https://example.com", widht: 1 });
    // @ts-expect-error: no such format
    await tintype.take({ url: "https://example.com", format: "bmp" });`;
  await writeFile(join(folder, "main.mts"), program);
  const samples = await samplesIn("ts");
  assert.deepEqual([...samples.keys()].sort(), ["clients/typescript/README.md", "docs/using.md"]);
  const files = ["main.mts", ...[...samples.keys()].map((page) => `${page.replaceAll("/", "-")}.mts`)];
  for (const [index, text] of [...samples.values()].entries()) await writeFile(join(folder, files[index + 1] ?? ""), text);
  await writeFile(join(folder, "given.d.ts"), given);
  for (const compiler of ["typescript", "typescript-6"]) {
    for (const [module, moduleResolution] of [
      ["nodenext", "nodenext"],
      ["esnext", "bundler"],
    ]) {
      const compilerOptions = { module, moduleResolution, target: "es2023", lib: ["es2023", "dom"], types: [], noEmit: true, strict: true };
      await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [...files, "given.d.ts"] }));
      const tsc = join(root, "node_modules", compiler, "bin/tsc");
      await run(process.execPath, [tsc, "-p", folder]).catch(({ stdout }) => assert.fail(`${compiler}, ${moduleResolution}: ${stdout}`));
    }
  }
});
