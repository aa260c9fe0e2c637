/** The TypeScript client in a page: bundled as in an application's build, and called across origins. */

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { root } from "../../scripts/stack/folders.ts";
import { fileScope } from "../support/scope.ts";
import { startService } from "../support/service.ts";
import { createSite } from "../support/site.ts";
import { expectedOfEveryFace, page as shown, signingSecretOf } from "./expected.ts";
import { installClient } from "./package.ts";

/** Bytes, minified and compressed. */
const sizeMax = 5_500;
const scope = fileScope();

test("its bundle is small, and every call works on a cross-origin page", async () => {
  const { folder } = await installClient(scope);
  const bundle = await bundled(folder);
  const size = gzipSync(bundle, { level: 9 }).length;
  assert.ok(size <= sizeMax, `${size} bytes`);
  const readme = await readFile(join(root, "clients/typescript/README.md"), "utf8");
  const [, told] = /([\d.]+) KB minified and compressed/.exec(readme) ?? [];
  assert.ok(Math.abs(Number(told) * 1000 - size) < 100, `clients/typescript/README.md says ${told} KB, but it is ${size} bytes`);

  const site = await createSite(scope, { "/": shown });
  const application = await createSite(scope, {
    "/": `<!doctype html><title>An application</title><link rel="icon" href="data:,">`,
    "/client.js": (_request, response) => void response.writeHead(200, { "content-type": "text/javascript" }).end(bundle),
    "/every-face.js": async (_request, response) => {
      const text = await readFile(join(root, "test/clients/every-face.mjs"));
      response.writeHead(200, { "content-type": "text/javascript" }).end(text);
    },
  });
  const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, WEBHOOK_ALLOW_HTTP: "true", SCREENSHOT_TIMEOUT: "90000" });
  const { key } = await service.createAccount();
  const { key: bound } = await service.createAccount({ domains: ["127.0.0.1"] });
  const browser = await chromium.launch({
    executablePath: process.env.TEST_CHROMIUM ?? "",
    chromiumSandbox: process.env.CHROMIUM_SANDBOX !== "false",
  });
  scope.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto(application.origin);
  const settings = { url: service.origin, key, secret: await signingSecretOf(service, key), page: `${site.origin}/` };
  const result = await page.evaluate(async (given) => {
    const [client, { everyFace }] = await Promise.all(["/client.js", "/every-face.js"].map((path) => import(path)));
    return JSON.parse(JSON.stringify(await everyFace(client, given)));
  }, settings);
  assert.deepEqual(result, expectedOfEveryFace(site));
  const taken = await page.evaluate(
    async (given) => {
      const client = await import("/client.js" as string);
      return (await client.createTintype(given).take({ url: given.page, width: 60 })).contentType;
    },
    { ...settings, key: bound },
  );
  assert.equal(taken, "image/jpeg");
});

/** Built with the dashboard's bundler. */
async function bundled(folder: string): Promise<Buffer> {
  await writeFile(join(folder, "entry.js"), `export { createTintype, TintypeError } from "@tintype/client";`);
  const { build } = await import(pathToFileURL(join(process.env.TEST_WEB ?? "", "node_modules/vite/dist/node/index.js")).href);
  const lib = { entry: "entry.js", formats: ["es"], fileName: () => "bundle.js" };
  await build({ root: folder, configFile: false, logLevel: "error", build: { lib, target: "es2022", minify: true, outDir: "bundle" } });
  return await readFile(join(folder, "bundle/bundle.js"));
}
