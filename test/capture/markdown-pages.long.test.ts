/** Markdown of whole pages of the most common kinds, including the surrounding markup of real sites. */

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileScope } from "../support/scope.ts";
import { startService } from "../support/service.ts";

const scope = fileScope();
const service = await startService(scope);
const { key } = await service.createAccount();
const folder = new URL("markdown-pages/", import.meta.url);

for (const page of (await readdir(folder)).filter((file) => file.endsWith(".html")))
  test(`format=markdown: ${page}`, async () => {
    const html = await readFile(new URL(page, folder), "utf8");
    const response = await fetch(`${service.origin}/v1/screenshots/take`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": key },
      body: JSON.stringify({ html, format: "markdown" }),
    });
    const markdown = await response.text();
    assert.equal(response.status, 200, markdown);
    const expected = new URL(page.replace(".html", ".md"), folder);
    assert.equal(markdown, await readFile(expected, "utf8"));
  });
