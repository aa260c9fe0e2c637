/** The OpenAPI description passes a linter, and generated clients of two generators work. */

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { createConfig, lint } from "@redocly/openapi-core";
import { root } from "../../../scripts/stack/folders.ts";
import { describeImage } from "../../support/image.ts";
import { longOnly } from "../../support/long-only.ts";
import { fileScope } from "../../support/scope.ts";
import { startService, type TestService } from "../../support/service.ts";
import { colouredPage, createSite, type Site } from "../../support/site.ts";

const scope = fileScope();
const description = join(root, "openapi.yaml");
const longTest = longOnly(test);

// The generator needs the compiler API of TypeScript 6, which TypeScript 7 lacks.
registerHooks({ resolve: (specifier, context, next) => next(specifier === "typescript" ? "typescript-6" : specifier, context) });

test("openapi.yaml passes a linter for OpenAPI 3.1", async () => {
  // The health endpoints have no parameters that could be wrong.
  const config = await createConfig({
    extends: ["recommended"],
    rules: { "operation-4xx-response": "off", "no-invalid-parameter-examples": "error", "no-invalid-schema-examples": "error" },
  });
  const problems = await lint({ ref: description, config });
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    [],
  );
});

type Operation = (asked: object) => Promise<{ data?: unknown; error?: Record<string, unknown>; response: Response }>;

interface GeneratedClient {
  takeScreenshot: Operation;
  takeScreenshotByPost: Operation;
  createCaptures: Operation;
}

/** Generated afresh from openapi.yaml, in a folder that is removed after the test. */
async function generateClient(): Promise<{ sdk: GeneratedClient; clientModule: { client: { setConfig(config: object): void } } }> {
  const folder = await mkdtemp(join(tmpdir(), "tintype-client-"));
  scope.after(() => rm(folder, { recursive: true, force: true }));
  const { createClient } = await import("@hey-api/openapi-ts");
  await createClient({
    input: description,
    output: { path: folder, module: { extension: ".ts" } },
    logs: { level: "silent", file: false },
  });
  return {
    sdk: await import(pathToFileURL(join(folder, "sdk.gen.ts")).href),
    clientModule: await import(pathToFileURL(join(folder, "client.gen.ts")).href),
  };
}

longTest("a client generated from openapi.yaml takes screenshots, sends lists and every default value, and reads errors", async () => {
  const site: Site = await createSite(scope, { "/": colouredPage("#00ff00") });
  const service: TestService = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
  const { key } = await service.createAccount();
  const { sdk, clientModule } = await generateClient();
  clientModule.client.setConfig({ baseUrl: service.origin, auth: () => key });
  const url = `${site.origin}/`;

  const picture = await sdk.takeScreenshot({
    query: { url, format: "png", width: 60, height: 40, full_page: false, wait_until: ["load", "auto"] },
  });
  assert.equal(picture.error, undefined);
  assert.ok(picture.data instanceof Blob);
  assert.deepEqual(describeImage(new Uint8Array(await picture.data.arrayBuffer())), { type: "png", width: 60, height: 40 });

  const { paths } = await (await fetch(`${service.origin}/openapi.json`)).json();
  const defaults = paths["/v1/screenshots/take"].get.parameters.map(({ name, schema }: { name: string; schema: { default?: unknown } }) => [
    name,
    schema.default,
  ]);
  const all = await sdk.takeScreenshot({
    query: { ...Object.fromEntries(defaults), url },
    headers: { accept: "image/jpeg;q=1, image/png;q=0.7, image/webp;q=0" },
  });
  assert.equal(all.error, undefined);
  assert.deepEqual([all.response.headers.get("content-type"), all.response.headers.get("x-warnings")], ["image/jpeg", null]);

  const described = await sdk.takeScreenshot({ query: { url, response_type: "json", headers: ["X-A: 1", "X-B: 2"] } });
  assert.equal((described.data as { title: string }).title, "#00ff00");
  assert.deepEqual([site.requests.at(-1)?.headers["x-a"], site.requests.at(-1)?.headers["x-b"]], ["1", "2"]);

  const refused = await sdk.takeScreenshot({ query: { url, quality: 0 } });
  assert.deepEqual([refused.response.status, refused.error?.code], [400, "invalid_parameters"]);

  const html = colouredPage("#0000ff");
  const posted = await sdk.takeScreenshotByPost({
    body: { html, base_url: url, format: "png", width: 60, height: 40, wait_until: ["load"] },
  });
  assert.ok(posted.data instanceof Blob, JSON.stringify(posted.error));
  assert.deepEqual(describeImage(new Uint8Array(await posted.data.arrayBuffer())), { type: "png", width: 60, height: 40 });
  const pdf = await sdk.takeScreenshot({ query: { url, format: "pdf" } });
  assert.ok(pdf.data instanceof Blob, JSON.stringify(pdf.error));
  assert.equal((await pdf.data.text()).slice(0, 5), "%PDF-");
  const captured = await sdk.createCaptures({ body: { url, outputs: [{ name: "card", image_width: 60 }, { format: "text" }] } });
  const names = (captured.data as { outputs: { name: string }[] } | undefined)?.outputs.map(({ name }) => name);
  assert.equal(names?.[0], "card", JSON.stringify(captured.error));
  const wrong = await sdk.takeScreenshotByPost({ body: { html, url } });
  assert.deepEqual([wrong.response.status, wrong.error?.code], [400, "invalid_parameters"]);
});

interface OtherClient {
  v1: Record<
    "takeScreenshot" | "takeScreenshotByPost" | "createCaptures",
    (options: object, params: { format: "blob" | "json" }) => Promise<{ data: unknown }>
  >;
}

longTest("another generator's client takes screenshots with GET and POST, documents, and several outputs", async () => {
  const site = await createSite(scope, { "/": colouredPage("#00ff00", "<h1>Opening hours</h1>") });
  const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
  const { key } = await service.createAccount();
  const folder = await mkdtemp(join(tmpdir(), "tintype-client-"));
  scope.after(() => rm(folder, { recursive: true, force: true }));
  const { generateApi } = await import("swagger-typescript-api");
  await generateApi({ input: description, output: folder, fileName: "api", toJS: true, silent: true });
  const { Api } = await import(pathToFileURL(join(folder, "api.js")).href);
  const securityWorker = () => ({ headers: { authorization: `Bearer ${key}` } });
  const client: OtherClient = new Api({ baseUrl: service.origin, securityWorker });
  const url = `${site.origin}/`;

  const { data: picture } = await client.v1.takeScreenshot({ url, format: "png", width: 60, height: 40 }, { format: "blob" });
  assert.ok(picture instanceof Blob);
  assert.deepEqual(describeImage(new Uint8Array(await picture.arrayBuffer())), { type: "png", width: 60, height: 40 });
  const { data: pdf } = await client.v1.takeScreenshotByPost({ url, format: "pdf", pdf_paper: "A5" }, { format: "blob" });
  assert.ok(pdf instanceof Blob);
  assert.deepEqual([pdf.type, (await pdf.text()).slice(0, 5)], ["application/pdf", "%PDF-"]);
  const { data: metadata } = await client.v1.takeScreenshotByPost({ url, format: "metadata" }, { format: "json" });
  assert.equal((metadata as { url: string }).url, url);
  const outputs = [{ format: "png", width: 60, height: 40 }, { format: "text" }];
  const { data: captured } = await client.v1.createCaptures({ url, outputs }, { format: "json" });
  const files = (captured as { outputs: { url: string }[] }).outputs.map((output) =>
    fetch(output.url).then((response) => response.bytes()),
  );
  const [image, text] = await Promise.all(files);
  assert.deepEqual([describeImage(image ?? new Uint8Array()).width, Buffer.from(text ?? []).toString()], [60, "Opening hours"]);
});
