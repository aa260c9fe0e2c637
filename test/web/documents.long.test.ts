/** Screenshots whose format is not an image: in the history, on their page and in the playground. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { documentFormats, extensions, formats, isImageFormat } from "../../src/shared/formats.ts";
import { extensionOf, isImage } from "../../web/src/screenshots/formats.ts";
import { fileScope } from "../support/scope.ts";
import { createSite, type Site } from "../support/site.ts";
import { assertAccessibleAtAnySize } from "./accessible.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

const scope = fileScope();
let site: Site;
let dashboard: Dashboard;
before(async () => {
  const article = `<!doctype html><html lang="en"><title>Harbour</title><main><h1>Harbour office</h1>
    <p>The office is open from nine to five, Monday to Friday. Berths are assigned in the order of arrival.</p>
    <p id="changed">as delivered</p><script>document.getElementById("changed").textContent = "as scripts left it"</script></main>`;
  const long = `<!doctype html><title>Long</title><p>${"é and so on. ".repeat(30_000)}<p>The end`;
  site = await createSite(scope, { "/": article, "/long": long });
  dashboard = await startDashboard(scope, { EGRESS_ALLOWED_HOSTS: site.host });
});

/** Resolves with the id, once the record has been written. */
async function capture(page: Page, format: string, path = "/"): Promise<string> {
  const query = new URLSearchParams({ url: `${site.origin}${path}`, format, response_type: "json" });
  const response = await page.request.post(`/v1/account/playground?${query}`, { headers: { origin: dashboard.origin } });
  assert.equal(response.status(), 200, await response.text());
  return (await response.json()).id;
}

const names = { pdf: "PDF", html: "HTML", mhtml: "MHTML", text: "Text", markdown: "Markdown", metadata: "Metadata", elements: "Elements" };
const document = (page: Page) => page.getByRole("region", { name: `Document of ${site.origin}/` });

test("the dashboard knows the kind and extension of every API format", () => {
  for (const format of formats)
    assert.deepEqual([extensionOf(format), isImage(format)], [extensions[format], isImageFormat(format)], format);
});

test("documents are shown as tiles with the format's name in grid and list", async () => {
  const page = await dashboard.signUp("Ada");
  for (const format of documentFormats) await capture(page, format);
  await capture(page, "png");
  for (const view of ["", "?view=list"]) {
    await page.goto(`/screenshots${view}`);
    const entries = view === "" ? page.locator("main").getByRole("listitem") : page.getByRole("row");
    for (const name of Object.values(names)) {
      const entry = entries.filter({ has: page.getByText(name, { exact: true }) });
      await entry.waitFor();
      assert.equal(await entry.locator("img").count(), 0, name);
    }
    assert.equal(await page.locator("main img").count(), 1, "the image's");
    await assertAccessibleAtAnySize(page, `documents${view}`);
  }
  assert.deepEqual(dashboard.errors, []);
});

for (const [format, part] of [
  ["text", "Harbour office"],
  ["markdown", "# Harbour office"],
  ["metadata", '\n  "title": "Harbour",'],
  ["elements", '"Harbour office"'],
  ["html", '<p id="changed">as scripts left it</p>'],
] as const)
  test(`format=${format}: the screenshot's page shows the document as plain text`, async () => {
    const page = await dashboard.signUp(`Grace ${format}`);
    await page.goto(`/screenshots/${await capture(page, format)}`);
    const shown = document(page).locator("pre");
    await shown.filter({ hasText: "Harbour" }).waitFor();
    assert.ok((await shown.textContent())?.includes(part));
    assert.equal(await shown.locator("*").count(), 0, "no markup");
    await page.getByText(new RegExp(` ${names[format]}$`)).waitFor();
    await page.getByText("Pending").waitFor({ state: "detached" });
    assert.equal(await page.locator("main img").count(), 0);
    if (format === "html") await assertAccessibleAtAnySize(page, "document as text");
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("The document and its record will be permanently deleted.").waitFor();
    assert.deepEqual(dashboard.errors, []);
  });

test("text over 200 kB is truncated between two characters, with a note", async () => {
  const page = await dashboard.signUp("Joan");
  await page.goto(`/screenshots/${await capture(page, "text", "/long")}`);
  await page.getByText("Only the first 200 kB are shown. The download is complete.").waitFor();
  const text = (await document(page).locator("pre").textContent()) ?? "";
  const { length } = Buffer.from(text);
  assert.ok(length > 199_990 && length <= 200_000, `${length}`);
  assert.ok(text.includes("é and so on.") && !text.includes("\ufffd") && !text.includes("The end"));
});

test("a PDF can be opened and downloaded, an MHTML file downloaded", async () => {
  const page = await dashboard.signUp("Ida");
  for (const format of ["pdf", "mhtml"] as const) {
    await page.goto(`/screenshots/${await capture(page, format)}`);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download" }).click();
    assert.match((await download).suggestedFilename(), new RegExp(`\\.${format}$`));
    const open = page.getByRole("link", { name: "Open", exact: true });
    assert.equal(await open.count(), format === "pdf" ? 1 : 0);
    if (format === "pdf") {
      const response = await page.request.get((await open.getAttribute("href")) ?? "");
      assert.deepEqual([response.status(), response.headers()["content-type"]], [200, "application/pdf"]);
    }
    await page.locator("main").getByText(names[format], { exact: true }).waitFor();
    assert.equal(await page.locator("main img").count(), 0);
    await assertAccessibleAtAnySize(page, `document as file ${format}`);
  }
  assert.deepEqual(dashboard.errors, []);
});

const playground = (options: Record<string, string>) => `/playground?${new URLSearchParams({ url: `${site.origin}/`, ...options })}`;
const take = (page: Page) => page.getByRole("button", { name: "Take screenshot" }).click();

test("the playground offers every API format, including new ones, and the PDF options", async () => {
  const page = await dashboard.signUp("Lise");
  await page.route("/openapi.json", async (route) => {
    const description = await (await route.fetch()).json();
    const { parameters } = description.paths["/v1/screenshots/take"].get;
    parameters.find(({ name }: { name: string }) => name === "format").schema.enum.push("epub");
    await route.fulfill({ json: description });
  });
  await page.goto(playground({ format: "jpg" }));
  const format = page.getByLabel("Format", { exact: true });
  assert.equal(await format.inputValue(), "jpeg");
  await format.locator('option[value="epub"]').waitFor({ state: "attached" }); // the description may load after the page is shown
  const offered = await format.locator("option").evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
  assert.deepEqual(offered.toSorted(), [...formats, "epub"].toSorted());
  await format.selectOption({ label: "PDF" });
  await page.getByText("--data-urlencode 'format=pdf'").waitFor();
  await page.locator("summary", { hasText: "All options" }).click();
  await page.locator("summary", { hasText: "PDF" }).click();
  await page.getByLabel("pdf_paper").selectOption("Letter");
  await page.getByText("--data-urlencode 'pdf_paper=Letter'").waitFor();
});

test("the playground shows text documents as text that can be downloaded, copied and shared as a link", async () => {
  const page = await dashboard.signUp("Mary", { permissions: ["clipboard-read", "clipboard-write"] });
  await page.goto(playground({ format: "png", width: "300", height: "200" }));
  await take(page);
  await page.getByText("300 × 200 pixels").waitFor();
  for (const [format, part] of [
    ["html", "<h1>Harbour office</h1>"],
    ["markdown", "# Harbour office"],
    ["metadata", '"title": "Harbour",'],
  ] as const) {
    await page.getByLabel("Format", { exact: true }).selectOption(format);
    await take(page);
    await document(page).getByText(part).waitFor();
    assert.equal(await page.getByText("300 × 200 pixels").count(), 0, "the size was the image's");
    assert.equal(await page.getByRole("button", { name: "Copy image" }).count(), 0);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download" }).click();
    assert.equal((await download).suggestedFilename(), `screenshot.${extensions[format]}`);
    await page.getByRole("button", { name: "Copy text" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    const shown = (await document(page).locator("pre").textContent()) ?? "";
    assert.deepEqual(format === "metadata" ? JSON.parse(text) : text, format === "metadata" ? JSON.parse(shown) : shown);
    await page.getByRole("button", { name: "Copy text" }).waitFor();
  }
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const shared = await fetch(await page.evaluate(() => navigator.clipboard.readText()));
  assert.deepEqual([shared.status, shared.headers.get("content-type")], [200, "application/json; charset=utf-8"]);
  await shared.body?.cancel();
  await assertAccessibleAtAnySize(page, "playground, text");
  assert.deepEqual(dashboard.errors, []);
});

test("in the playground, a PDF can be opened and downloaded, and an MHTML file downloaded", async () => {
  const page = await dashboard.signUp("Ellen");
  for (const format of ["pdf", "mhtml"] as const) {
    await page.goto(playground({ format }));
    await take(page);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download" }).click();
    assert.equal((await download).suggestedFilename(), `screenshot.${format}`);
    const open = page.getByRole("link", { name: "Open", exact: true });
    if (format === "pdf") {
      const response = await page.request.get((await open.getAttribute("href")) ?? "");
      assert.deepEqual([response.status(), response.headers()["content-type"]], [200, "application/pdf"]);
    } else assert.equal(await open.count(), 0);
    assert.equal(await page.getByRole("button", { name: /Copy (image|text)/ }).count(), 0);
    assert.equal(await page.locator("main img").count(), 0);
    await assertAccessibleAtAnySize(page, `playground, file ${format}`);
  }
  assert.deepEqual(dashboard.errors, []);
});

test("code for a document has no <img>, and the selected language is kept", async () => {
  const page = await dashboard.signUp("Hedy");
  await page.goto(playground({}));
  const format = page.getByLabel("Format", { exact: true });
  const tabs = page.getByRole("tab");
  await tabs.filter({ hasText: "PHP" }).click();
  await format.selectOption("markdown");
  await page.getByRole("tabpanel").getByText("'screenshot.md'").waitFor();
  assert.deepEqual(await tabs.allTextContents(), ["curl", "Node", "Python", "Go", "PHP"]);
  await format.selectOption("png");
  await page.getByRole("tabpanel").getByText("'screenshot.png'").waitFor();
  assert.equal(await tabs.count(), 6);
  await tabs.filter({ hasText: "<img>" }).click();
  await format.selectOption("pdf");
  await page.getByRole("tabpanel").getByText("curl --fail-with-body").waitFor();
});
