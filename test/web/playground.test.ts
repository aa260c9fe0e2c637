/** The playground: options generated from the OpenAPI document, details of the response, code snippets. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { extensions, formats } from "../../src/shared/formats.ts";
import { capturesCurl, capturesNode, capturesPython } from "../../web/src/playground/captures-snippets.ts";
import { deviceGroups, matching } from "../../web/src/playground/devices.ts";
import { curl, go, img, node, php, python } from "../../web/src/playground/snippet-texts.ts";
import { withScheme } from "../../web/src/screenshots/address.ts";
import { highlight, type Language } from "../../web/src/ui/highlight.ts";
import { eventually } from "../support/eventually.ts";
import { longOnly } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage, createSite, type Site } from "../support/site.ts";
import { assertAccessibleAtAnySize } from "./accessible.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

const longTest = longOnly(test);
const scope = fileScope();
let site: Site;
let dashboard: Dashboard;
before(async () => {
  site = await createSite(scope, { "/": colouredPage("#0a7"), "/slow": () => {} });
  dashboard = await startDashboard(scope, { EGRESS_ALLOWED_HOSTS: site.host });
});

const openAllOptions = (page: Page) => page.locator("summary", { hasText: "All options" }).click();

longTest("a new option in the OpenAPI document appears in its group and is sent", async () => {
  const page = await dashboard.signUp("Ada");
  await page.route("/openapi.json", async (route) => {
    const document = await (await route.fetch()).json();
    const schema = { type: "string", enum: ["none", "sepia"], default: "none" };
    const option = { name: "tone", in: "query", description: "Tone of the image.", schema, "x-group": "Darkroom" };
    document.paths["/v1/screenshots/take"].get.parameters.push(option);
    await route.fulfill({ json: document });
  });
  await page.goto("/playground");
  await page.getByLabel("URL", { exact: true }).fill(`${site.origin}/`);
  await openAllOptions(page);
  await page.getByText("Darkroom").click();
  await page.getByLabel("tone").selectOption("sepia");
  await page.getByText("--data-urlencode 'tone=sepia'").waitFor();
  await page.getByRole("button", { name: "Take screenshot" }).click();
  await page.getByText(/tone/).and(page.getByRole("listitem")).waitFor(); // the API warns about an unknown parameter
});

longTest("the page's URL reflects the form, except for cookies and headers", async () => {
  const page = await dashboard.signUp("Grace");
  await page.goto(`/playground?url=${encodeURIComponent(site.origin)}&width=400&full_page=true&wait_until=load&wait_until=networkidle0`);
  assert.equal(await page.getByLabel("Width", { exact: true }).inputValue(), "400");
  assert.ok(await page.getByLabel("Full page", { exact: true }).isChecked());
  assert.deepEqual(
    await page.locator("[name=wait_until]:checked").evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).value)),
    ["load", "networkidle0"],
  );
  await page.getByText("Identity").click();
  await page.getByLabel("cookies").fill("session=very-secret");
  await page.getByLabel("headers", { exact: true }).fill("X-Key: very-secret");
  await page.getByLabel("Height", { exact: true }).fill("300");
  await page.waitForURL(/height=300/);
  assert.ok(!page.url().includes("secret"));
  await page.reload();
  assert.equal(await page.getByLabel("Height", { exact: true }).inputValue(), "300");
});

test("shows size, cache state, status and warnings of the response, and errors at their fields", async () => {
  const page = await dashboard.signUp("Joan");
  await page.goto(`/playground?url=${encodeURIComponent(`${site.origin}/`)}&is_cached=true&width=300&height=200`);
  const take = page.getByRole("button", { name: "Take screenshot" });
  await take.click();
  await page.getByText("300 × 200 pixels").waitFor();
  await page.getByText("MISS", { exact: true }).waitFor();
  await page.getByText("200", { exact: true }).waitFor();
  await take.click();
  await page.getByText("HIT", { exact: true }).waitFor();
  await page.getByLabel("URL", { exact: true }).fill("http://unknown.invalid/");
  await take.click();
  await page.getByRole("alert").waitFor();
  assert.equal(await page.getByRole("img", { name: "Screenshot of" }).count(), 0);
});

longTest("links to the screenshot's page, which shows the capture as a timeline", async () => {
  const busy = `<!doctype html><title>Busy</title><p>text<img src="/picture.png"><img src="/pixel.gif"><img src="http://10.0.0.1/a">
    <script>console.error("no price for", 12)</script>`;
  site.serve({ "/busy": busy, "/picture.png": (_request, response) => response.writeHead(404).end() });
  const page = await dashboard.signUp("Edith");
  await page.goto(`/playground?url=${encodeURIComponent(`${site.origin}/busy`)}&block_requests=*.gif`);
  await page.getByRole("button", { name: "Take screenshot" }).click();
  await page.getByRole("link", { name: "What happened during the capture" }).click();
  const timeline = page.getByRole("region", { name: "Timeline" });
  for (const step of ["the target responded", "the page was ready", "the screenshot was taken"]) await timeline.getByText(step).waitFor();
  await timeline.getByRole("row", { name: /picture\.png.* 404/ }).waitFor();
  await timeline.getByRole("row", { name: /pixel\.gif.*block_requests=\*\.gif.*blocked/ }).waitFor();
  await page.getByText("10.0.0.1:80: the address is blocked").waitFor();
  await page.getByText("no price for 12").waitFor();
});

longTest("shows error images, and whether a screenshot is stale", async () => {
  const page = await dashboard.signUp("Ida");
  site.serve({ "/late": colouredPage("#0a7", "<p>Opening hours: nine to five, Monday to Friday") });
  const options = "stale_while_revalidate=3600&error_image=true&width=300&height=200";
  await page.goto(`/playground?url=${encodeURIComponent(`${site.origin}/late`)}&${options}`);
  const take = page.getByRole("button", { name: "Take screenshot" });
  const cacheState = async () => {
    const response = page.waitForResponse(/\/v1\/account\/playground\?/);
    await take.click();
    return (await response).headers()["x-cache"];
  };
  assert.equal(await cacheState(), "MISS");
  while ((await cacheState()) !== "STALE"); // it is stored after the first response
  await page.getByText("STALE", { exact: true }).waitFor();
  await page.getByLabel("URL", { exact: true }).fill("http://unknown.invalid/");
  await take.click();
  await page.getByRole("img", { name: "The screenshot failed: name_not_resolved." }).waitFor();
});

longTest("an invalid option shows its error and opens its group", async () => {
  const page = await dashboard.signUp("Lise");
  await page.goto(`/playground?url=${encodeURIComponent(`${site.origin}/`)}`);
  const group = page.locator("summary", { hasText: "Image" });
  await openAllOptions(page);
  await group.click();
  await page.getByLabel("quality").fill("500");
  await openAllOptions(page); // and closes it
  await page.getByLabel("quality").waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Take screenshot" }).click();
  await page.getByText("quality must be an integer from 1 to 100").first().waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("name")), "quality");
});

longTest("searching filters the options", async () => {
  const page = await dashboard.signUp("Mary");
  await page.goto("/playground");
  await openAllOptions(page);
  await page.getByLabel("Search options").fill("cookies");
  await page.getByLabel("cookies", { exact: true }).waitFor();
  assert.equal(await page.getByLabel("width", { exact: true }).count(), 0);
  await page.getByLabel("Search options").fill("xyzzy");
  await page.getByText("No matching options.").waitFor();
});

longTest("canceling aborts the capture in the service", async () => {
  const page = await dashboard.signUp("Ellen");
  await page.goto(`/playground?url=${encodeURIComponent(`${site.origin}/slow`)}`);
  await page.getByRole("button", { name: "Take screenshot" }).click();
  while (!site.requests.some(({ path }) => path === "/slow")) await page.waitForTimeout(50);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Canceled.").waitFor();
  await page.waitForFunction(async () => {
    const { screenshots } = await (await fetch("/v1/account/screenshots")).json();
    return screenshots[0]?.status === "failed";
  });
});

longTest("while a recording is made, its time is shown and of how much; then it plays", async () => {
  const page = await dashboard.signUp("Lotte");
  const open = (path: string, format: string) =>
    page.goto(
      `/playground?url=${encodeURIComponent(site.origin + path)}&format=${format}&duration=1&fps=4&timeout=20&width=200&height=100`,
    );
  const take = page.getByRole("button", { name: "Take screenshot" });
  await open("/slow", "webm");
  await take.click();
  const progress = page.getByRole("progressbar", { name: "Time taken" });
  await eventually("the time passes", async () => Number(await progress.getAttribute("aria-valuenow")) >= 2);
  assert.match((await progress.getAttribute("aria-valuetext")) ?? "", /^\d+ of at most 20 seconds$/);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Canceled.").waitFor();
  assert.equal(await progress.count(), 0);

  site.serve({ "/moving": "<!doctype html><style>@keyframes turn { to { rotate: 360deg } } p { animation: turn 1s }</style><p>turns" });
  await open("/moving", "webm");
  await take.click();
  const video = page.locator("video");
  await eventually("it can be played", async () => (await video.evaluate((shown: HTMLVideoElement) => shown.readyState)) >= 2);
  assert.equal(await video.evaluate((shown: HTMLVideoElement) => shown.duration), 1);
  await open("/moving", "gif");
  await take.click();
  const picture = page.getByRole("img", { name: "Screenshot of" });
  await eventually("it is shown", async () => (await picture.evaluate((shown: HTMLImageElement) => shown.naturalWidth)) === 200);
});

test("code snippets in all languages send the same request, with any characters in options", async (t) => {
  const echo = await createSite(t, { "/v1/screenshots/take": "image" });
  const received: string[] = [];
  echo.serve({
    "/v1/screenshots/take": (request, response) => {
      received.push(request.url ?? "");
      response.end("image");
    },
  });
  const options = { url: `https://example.com/?a=1&b="two"`, selector: `a[title='it"s $5'] > b`, hide_selectors: [".a, .b", "`x` \\"] };
  const request = { api: echo.origin, key: "ss_key", options };
  const wanted = [
    ["api_key", "ss_key"],
    ["url", options.url],
    ["selector", options.selector],
    ...options.hide_selectors.map((text) => ["hide_selectors", text]),
  ];
  const read = () => [...new URL(received.at(-1) ?? "", echo.origin).searchParams];

  await promisify(execFile)("sh", ["-c", curl(request).replace(/-o \S+/, "-o /dev/null -s")]);
  assert.deepEqual(read(), wanted);
  const cwd = await mkdtemp(join(tmpdir(), "snippets-"));
  t.after(() => rm(cwd, { recursive: true }));
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", node(request)], { cwd });
  assert.deepEqual(read(), wanted);
  await promisify(execFile)("python3", ["-c", python(request)], { cwd });
  assert.deepEqual(read(), wanted);
  assert.equal(await readFile(join(cwd, "screenshot.jpg"), "utf8"), "image");
  const added = go(request).matchAll(/query\.Add\((".*"), (".*")\)/g);
  assert.deepEqual(
    [...added].map(([, name = "", value = ""]) => [JSON.parse(name), JSON.parse(value)]),
    wanted,
  );
  const page = await dashboard.visit();
  await page.setContent(img(request).replace('loading="lazy"', ""), { waitUntil: "load" });
  assert.deepEqual(read(), wanted);
  assert.match(img(request), /referrerpolicy="strict-origin-when-cross-origin"/);
  assert.match(php(request), /'selector' => 'a\[title=\\'it"s \$5\\'\] > b',/);
  assert.match(php(request), /'hide_selectors' => \['\.a, \.b', '`x` \\\\'\],/);
});

longTest("code snippets fail on an error status, print its message and don't write a file", async (t) => {
  const refused = (_request: unknown, response: { writeHead(status: number): { end(text: string): unknown } }) =>
    void response.writeHead(400).end(JSON.stringify({ message: "url is missing" }));
  const echo = await createSite(t, { "/v1/screenshots/take": refused, "/v1/captures": refused });
  const request = { api: echo.origin, key: "ss_key" };
  const cwd = await mkdtemp(join(tmpdir(), "snippets-"));
  t.after(() => rm(cwd, { recursive: true }));
  const single = { ...request, options: {} };
  const several = { ...request, body: { outputs: [] } };
  for (const [command, ...args] of [
    [process.execPath, "--input-type=module", "--eval", node(single)],
    [process.execPath, "--input-type=module", "--eval", capturesNode(several)],
    ["python3", "-c", python(single)],
    ["python3", "-c", capturesPython(several)],
  ] as [string, ...string[]][]) {
    const failure = await promisify(execFile)(command, args, { cwd }).then(
      () => assert.fail(`succeeds: ${args.at(-1)}`),
      (error: { code: number; stderr: string }) => error,
    );
    assert.deepEqual([failure.code, /url is missing$/m.test(failure.stderr)], [1, true], `${args.at(-1)}\n${failure.stderr}`);
    if (command === "python3") assert.equal(failure.stderr, "url is missing\n");
  }
  assert.deepEqual(await readdir(cwd), []);
  for (const code of [curl({ ...request, options: {} }).replace(/-o \S+/, "-o -"), capturesCurl({ ...request, body: { outputs: [] } })]) {
    const failure = await promisify(execFile)("sh", ["-c", `${code} -s`]).then(
      () => assert.fail(`succeeds: ${code}`),
      (error: { code: number; stdout: string }) => error,
    );
    assert.deepEqual([failure.code, failure.stdout], [22, '{"message":"url is missing"}'], code);
  }
});

test("a URL without a scheme gets https, or http for a local host", () => {
  const https = ["example.com", "example.com:8443/a?b#c", "EXAMPLE.com", "11.0.0.1", "localhost.example.com", "172.32.0.1"];
  const http = [
    "localhost",
    "localhost:5173",
    "LOCALHOST:80/a",
    "app.localhost",
    "nas.local/x",
    "127.0.0.1:3000",
    "10.1.2.3",
    "[::1]:8080/",
    "web:5173",
  ];
  for (const text of https) assert.equal(withScheme(text), `https://${text}`);
  for (const text of http) assert.equal(withScheme(text), `http://${text}`);
  for (const text of ["http://example.com", "https://localhost", "data:text/html,x", "HTTP://a"]) assert.equal(withScheme(text), text);
});

longTest("code snippets in all languages write a file with the extension of its format", () => {
  const request = { api: "https://screenshots.example.com", key: "ss_key" };
  const url = "https://example.com/";
  for (const snippet of [curl, node, python, go, php]) {
    for (const format of formats) {
      const code = snippet({ ...request, options: { url, format } });
      assert.deepEqual(code.match(/screenshot\.\w+/g), [`screenshot.${extensions[format]}`], code);
    }
    assert.match(snippet({ ...request, options: { url } }), /screenshot\.jpg\b/);
  }
});

longTest("syntax highlighting doesn't change the code", () => {
  const options = { url: `https://example.com/?a=1&b="two"`, selector: `a[title='it"s $5'] > b`, scripts: "// no #comment" };
  const request = { api: "https://screenshots.example.com", key: "ss_key", options, page: "https://example.com/" };
  const snippets = { shell: curl, html: img, javascript: node, python, go, php };
  for (const [language, snippet] of Object.entries(snippets)) {
    const code = snippet(request);
    const tokens = highlight(code, language as Language);
    assert.equal(tokens.map(({ text }) => text).join(""), code);
    assert.ok(tokens.some(({ kind }) => kind === "string") && tokens.some(({ kind }) => kind === "keyword"), language);
    assert.deepEqual(
      tokens.filter(({ kind }) => kind === "comment"),
      [],
      language,
    );
  }
});

test("the most common options are visible immediately, and are sent", async () => {
  site.serve({ "/text": colouredPage("#0a7", "<p>Some text</p>") });
  const page = await dashboard.signUp("Hedy");
  await page.goto("/playground");
  await page.getByLabel("URL", { exact: true }).fill(`${site.origin}/text`);
  for (const name of ["Full page", "Dark mode", "Block ads", "Block cookie banners"]) await page.getByRole("switch", { name }).check();
  await page.getByRole("radio", { name: "Phone" }).check();
  await page.getByLabel("Format").selectOption("png");
  await page.getByLabel("Delay", { exact: true }).fill("0.5");
  await page.getByLabel("Only this element").fill("body");
  await page.getByLabel("Height", { exact: true }).fill("600");
  const wanted = {
    full_page: "true",
    prefers_color_scheme: "dark",
    block_ads: "true",
    block_cookie_banners: "true",
    viewport_device: "iPhone 17",
    format: "png",
    delay: "0.5",
    selector: "body",
    height: "600",
  };
  for (const pair of Object.entries(wanted)) await page.getByText(`--data-urlencode '${pair.join("=")}'`).waitFor();
  const sent = page.waitForRequest((request) => request.url().includes("/v1/account/playground"));
  await page.getByRole("button", { name: "Take screenshot" }).click();
  const query = Object.fromEntries(new URL((await sent).url()).searchParams);
  assert.deepEqual(query, { ...wanted, url: `${site.origin}/text`, explain: "true" });
  await page.getByRole("img", { name: "Screenshot of" }).waitFor();
});

longTest(
  "devices can be searched by name, newest phones first; a placeholder has the device's shape until the first screenshot",
  async () => {
    const page = await dashboard.signUp("Radia");
    await page.goto("/playground");
    const field = page.getByRole("combobox", { name: "Model or window size" });
    const sample = page.getByRole("figure").filter({ hasText: "A sample" });
    const shape = () => sample.locator("[style*=aspect-ratio]").evaluate((element) => element.clientWidth / element.clientHeight);
    assert.ok(Math.abs((await shape()) - 1280 / 720) < 0.05);
    await field.click();
    await page.getByRole("group", { name: "Phones" }).getByRole("option").first().filter({ hasText: "iPhone 17" }).waitFor();
    assert.equal(await page.getByRole("option", { name: "landscape" }).count(), 0);
    await assertAccessibleAtAnySize(page, "playground, devices");
    await field.fill("17 pro");
    assert.deepEqual(await page.getByRole("listbox").getByRole("option").allTextContents(), ["iPhone 17 Pro Max", "iPhone 17 Pro"]);
    await field.press("ArrowDown");
    await field.press("Enter");
    await page.getByText("--data-urlencode 'viewport_device=iPhone 17 Pro'").waitFor();
    assert.ok((await shape()) < 0.7);
    assert.equal(await page.getByRole("radio", { name: "Phone" }).isChecked(), true);
    await field.click();
    await page.getByRole("option", { name: "1920 × 1080" }).click();
    await page.getByText("--data-urlencode 'width=1920'").waitFor();
    assert.equal(await page.getByText("viewport_device=").count(), 0);
    await page.getByLabel("URL", { exact: true }).fill(`${site.origin}/`);
    await page.getByRole("button", { name: "Take screenshot" }).click();
    await page.getByText("1920 × 1080 pixels").waitFor();
    assert.equal(await sample.count(), 0);
  },
);

test("devices: all of the API's are listed once, without landscape variants, each family from its newest", () => {
  const names = [
    "BlackBerry Z30",
    "Galaxy S8",
    "Galaxy S9+",
    "Galaxy Tab S4",
    "iPad",
    "iPad landscape",
    "iPhone 4",
    "iPhone 17",
    "Pixel 5",
  ];
  const groups = deviceGroups(names).slice(1);
  assert.deepEqual(Object.fromEntries(groups.map(({ title, devices }) => [title, devices.map(({ name }) => name)])), {
    Phones: ["iPhone 17", "iPhone 4", "Pixel 5", "Galaxy S9+", "Galaxy S8"],
    Tablets: ["iPad", "Galaxy Tab S4"],
    "Older phones": ["BlackBerry Z30"],
  });
  assert.deepEqual(
    matching(deviceGroups(names), "2560x1440").flatMap(({ devices }) => devices.map(({ size }) => size)),
    [{ width: 2560, height: 1440 }],
  );
});

longTest("Ctrl+Enter takes the screenshot from any field", async () => {
  const page = await dashboard.signUp("Emmy");
  await page.goto(`/playground?url=${encodeURIComponent(`${site.origin}/`)}&width=300&height=200`);
  await page.getByLabel("Only this element").press("Control+Enter");
  await page.getByText("300 × 200 pixels").waitFor();
});

longTest("a long image can be shown whole, fitted to the frame's width, at its own size, and filling the window", async () => {
  site.serve({ "/long": colouredPage("#0a7", `<div style="height: 4000px"></div>`) });
  const page = await dashboard.signUp("Vera");
  await page.goto(`/playground?url=${encodeURIComponent(`${site.origin}/long`)}&full_page=true&width=900&format=png`);
  await page.getByRole("button", { name: "Take screenshot" }).click();
  const image = page.getByRole("img", { name: "Screenshot of" });
  const frame = page.getByRole("region", { name: "Image" });
  await page.getByText(/^900 × 4/).waitFor();
  const sizes = async () => ({ image: await image.last().boundingBox(), frame: await frame.last().boundingBox() });
  const whole = await sizes();
  assert.ok(whole.image && whole.frame && whole.image.height <= whole.frame.height && whole.image.height > whole.frame.height - 4);
  await page.getByRole("radio", { name: "Width" }).check();
  const wide = await sizes();
  assert.ok(wide.image && wide.frame && wide.image.width > wide.frame.width - 20 && wide.image.width <= wide.frame.width);
  await page.getByRole("radio", { name: "100 %" }).check();
  assert.equal((await sizes()).image?.width, 900);
  await page.getByRole("button", { name: "Full size" }).click();
  // It grows into place when it opens.
  await eventually("the image has its own size in the whole window", async () => {
    const { frame: outer, image: inner } = await sizes();
    return (outer?.width ?? 0) > 1200 && inner?.width === 900;
  });
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

longTest("an image can be downloaded, copied, and shared as a link that works without a session", async () => {
  const page = await dashboard.signUp("Lynn", { permissions: ["clipboard-read", "clipboard-write"] });
  await page.goto(`/playground?url=${encodeURIComponent(`${site.origin}/`)}&width=300&height=200`);
  await page.getByRole("button", { name: "Take screenshot" }).click();
  await page.getByText("300 × 200 pixels").waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download" }).click();
  assert.equal((await download).suggestedFilename(), "screenshot.jpg");
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const shared = await fetch(await page.evaluate(() => navigator.clipboard.readText()));
  assert.deepEqual([shared.status, shared.headers.get("content-type")], [200, "image/jpeg"]);
  await page.getByRole("button", { name: "Copy link" }).waitFor();
  await page.getByRole("button", { name: "Copy image" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const copied = await page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    const bitmap = await createImageBitmap((await item?.getType("image/png")) as Blob);
    return [bitmap.width, bitmap.height];
  });
  assert.deepEqual(copied, [300, 200]);
});

longTest("the code is for the selected key, shown by its first and last characters, and suits the key's websites", async () => {
  const page = await dashboard.signUp("Ruth");
  const create = async (data: object) =>
    (await (await page.request.post("/v1/account/keys", { data, headers: { origin: dashboard.origin } })).json()).key;
  const bound = await create({ name: "Blog", allowed_domains: ["example.com"] });
  const free = await create({ name: "Free" });
  await page.goto("/playground");
  await page.getByLabel("Use key").selectOption(free.id);
  await page.getByText(`--data-urlencode 'api_key=${free.hint.replace("…", "...")}'`).waitFor();
  await page.getByLabel("Use key").selectOption(bound.id);
  await page.getByRole("tab", { name: "curl" }).click();
  await page.getByText(`--data-urlencode 'api_key=${bound.hint.replace("…", "...")}'`).waitFor();
  await page.getByText("'Referer: https://example.com/'").waitFor();
});

test("links in responses forwarded by the dashboard point to the dashboard", async () => {
  const { key } = await dashboard.service.createAccount();
  const query = new URLSearchParams({ api_key: key, url: `${site.origin}/`, response_type: "json", width: "20", height: "10" });
  const response = await fetch(`${dashboard.origin}/v1/screenshots/take?${query}`, { headers: { "x-forwarded-host": "evil.example" } });
  const { url } = await response.json();
  assert.equal(new URL(url).origin, dashboard.origin);
  assert.equal((await fetch(url)).status, 200);
});

longTest(
  "several outputs of one load are added in the form, taken together, shown side by side with their errors, and available as code",
  async () => {
    site.serve({ "/parts": colouredPage("#0a7", "<h1>Parts</h1><p>Opening hours: nine to five, Monday to Friday") });
    const errorsBefore = dashboard.errors.length;
    const page = await dashboard.signUp("Sofia", { permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(`/playground?url=${encodeURIComponent(`${site.origin}/parts`)}&width=400&height=300&format=png`);
    const add = page.getByRole("button", { name: "Add an output" });
    for (let turn = 0; turn < 4; turn++) await add.click();
    const output = (number: number) => page.getByRole("group", { name: `Output ${number}`, exact: true });
    await output(2).getByLabel("Name").fill("phone");
    await output(2).getByLabel("Width", { exact: true }).fill("200");
    await output(2).getByLabel("Color scheme").selectOption("dark");
    await output(3).getByLabel("Format").selectOption("text");
    await output(4).getByLabel("Only this element").fill("#missing");
    await page.getByRole("button", { name: "Remove output 5" }).click();
    await output(5).waitFor({ state: "detached" });
    await page.waitForURL(/outputs=/);
    await page.reload();
    assert.equal(await output(2).getByLabel("Name").inputValue(), "phone");
    await page.getByRole("button", { name: "Take screenshots" }).click();

    const preview = (name: string) => page.getByRole("article", { name, exact: true });
    await preview("output-1").getByText("400 × 300 pixels").waitFor();
    await preview("phone").getByText("200 × 300 pixels").waitFor();
    for (const [name, width] of Object.entries({ "output-1": 400, phone: 200 }))
      assert.equal(
        await preview(name)
          .getByRole("img")
          .evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
        width,
      );
    const [left, right] = await Promise.all(["output-1", "phone"].map((name) => preview(name).boundingBox()));
    assert.ok(left && right && left.y === right.y && left.x + left.width <= right.x, "side by side");
    await preview("output-3").getByText("Opening hours").waitFor();
    await preview("output-4").getByText("No visible element on the page matches the selector").waitFor();
    assert.equal(await preview("output-4").getByRole("link").count(), 0);
    await page.getByText(`One load of ${site.origin}/parts`).waitFor();
    await preview("phone").getByRole("button", { name: "Copy link" }).click();
    await preview("phone").getByRole("button", { name: "Copied" }).waitFor();
    assert.equal((await fetch(await page.evaluate(() => navigator.clipboard.readText()))).headers.get("content-type"), "image/png");

    await page.getByText('"name": "phone"').waitFor();
    await page.getByText("'Authorization: Bearer YOUR_API_KEY'").waitFor();
    assert.deepEqual(await page.getByRole("tab").allTextContents(), ["curl", "Node", "Python"]);
    await assertAccessibleAtAnySize(page, "playground, several outputs");

    for (const number of [4, 3, 2]) await page.getByRole("button", { name: `Remove output ${number}` }).click();
    await page.getByRole("button", { name: "Take screenshot", exact: true }).click();
    // While it is being taken, images of outputs whose names only begin like this one's are still shown.
    await page.getByRole("img", { name: `Screenshot of ${site.origin}/parts`, exact: true }).waitFor();
    assert.deepEqual(dashboard.errors.slice(errorsBefore), []);
  },
);

longTest("an invalid option of one output shows its error there", async () => {
  const page = await dashboard.signUp("Maryam");
  await page.goto(`/playground?url=${encodeURIComponent(`${site.origin}/`)}&outputs=${encodeURIComponent('[{},{"width":"0"}]')}`);
  await page.getByRole("button", { name: "Take screenshots" }).click();
  const group = page.getByRole("group", { name: "Output 2", exact: true });
  await group.getByText("Width must be an integer from 1 to 3840").waitFor();
  assert.equal(await page.getByText("must be an integer").count(), 1);
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("name")), "outputs[1].width");
});

longTest("code snippets for several outputs send the same request, and save each successful output under its name", async (t) => {
  const echo = await createSite(t, {});
  const received: { authorization: string | undefined; referer: string | undefined; body: unknown }[] = [];
  echo.serve({
    "/v1/captures": async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      received.push({ authorization: request.headers.authorization, referer: request.headers.referer, body: JSON.parse(text) });
      const outputs = [
        { name: "it", url: `${echo.origin}/v1/screenshots/1.jpg?signature=x` },
        { name: "gone", error: { message: "No such element." } },
      ];
      response.setHeader("content-type", "application/json").end(JSON.stringify({ outputs }));
    },
    "/v1/screenshots/1.jpg": (_request, response) => response.end("image"),
  });
  const body = {
    url: `https://example.com/?a=1&b="two"`,
    full_page: true,
    block_ads: false,
    hide_selectors: [".a, .b", "`x` \\", "true"],
    outputs: [{ name: "it" }, { name: "gone", selector: `a[title='it"s $5'] > b`, width: 300, full_page: false }],
  };
  const request = { api: echo.origin, key: "ss_key", body, page: "https://blog.example.com/" };
  const wanted = { authorization: "Bearer ss_key", referer: "https://blog.example.com/", body };
  await promisify(execFile)("sh", ["-c", `${capturesCurl(request)} -s`]);
  assert.deepEqual(received.at(-1), wanted);
  for (const [command, ...args] of [
    [process.execPath, "--input-type=module", "--eval", capturesNode(request)],
    ["python3", "-c", capturesPython(request)],
  ] as [string, ...string[]][]) {
    const cwd = await mkdtemp(join(tmpdir(), "snippets-"));
    t.after(() => rm(cwd, { recursive: true }));
    const { stdout, stderr } = await promisify(execFile)(command, args, { cwd });
    assert.deepEqual(received.at(-1), wanted, command);
    assert.deepEqual(await readdir(cwd), ["it.jpg"]);
    assert.equal(await readFile(join(cwd, "it.jpg"), "utf8"), "image");
    assert.match(stdout + stderr, /gone No such element\./);
  }
  for (const [language, snippet] of Object.entries({ shell: capturesCurl, javascript: capturesNode, python: capturesPython })) {
    const code = snippet(request);
    const tokens = highlight(code, language as Language);
    assert.equal(tokens.map(({ text }) => text).join(""), code);
    assert.ok(!tokens.some(({ kind }) => kind === "comment"), language);
  }
});

longTest("HTML and Markdown are captured without a URL, and don't appear in the page's URL", async () => {
  const errorsBefore = dashboard.errors.length;
  const page = await dashboard.signUp("Ngozi");
  await page.goto("/playground?format=png&width=300&height=200");
  await page.getByRole("radio", { name: "HTML" }).check();
  await page.getByLabel("HTML document").fill('<body style="margin:0;background:#0a7">Hello');
  const take = page.getByRole("button", { name: "Take screenshot", exact: true });
  await take.click();
  const preview = page.getByRole("article", { name: "output-1", exact: true });
  await preview.getByText("300 × 200 pixels").waitFor();
  await page.getByText("One load of your HTML").waitFor();
  await page.getByText(/"html": "<body style=/).waitFor();
  assert.equal(new URL(page.url()).searchParams.get("html"), null);
  await assertAccessibleAtAnySize(page, "playground, HTML");

  await page.getByRole("radio", { name: "Markdown" }).check();
  await page.getByLabel("Markdown text").fill("# Opening hours\n\nNine to five");
  await page.getByLabel("Format", { exact: true }).selectOption("text");
  await take.click();
  await preview.getByText("Opening hours").waitFor();
  await page.getByText("One load of your Markdown").waitFor();
  assert.deepEqual(dashboard.errors.slice(errorsBefore), []);
  await page.getByLabel("Base URL").fill("not an address");
  await take.click();
  await page.getByText(/Base URL .*http/i).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("name")), "base_url");
});

longTest("an output with slices shows all of them, each with its own record", async () => {
  site.serve({ "/long": colouredPage("#0a7", Array.from({ length: 60 }, (_, row) => `<p>Paragraph ${row}</p>`).join("")) });
  const page = await dashboard.signUp("Mateo");
  const outputs = JSON.stringify([{}, { name: "pieces", slice_height: "600", slice_overlap: "20" }]);
  const query = new URLSearchParams({ url: `${site.origin}/long`, full_page: "true", format: "png", outputs });
  await page.goto(`/playground?${query}`);
  await page.getByRole("button", { name: "Take screenshots" }).click();
  const pieces = page.getByRole("article", { name: "pieces", exact: true });
  await pieces.getByText(/^Slice 2: /).waitFor();
  const images = await pieces.getByRole("img").all();
  assert.ok(images.length >= 3, `${images.length} slices`);
  for (const image of images) {
    await image.scrollIntoViewIfNeeded();
    assert.ok(await image.evaluate((one: HTMLImageElement) => one.decode().then(() => one.naturalHeight > 100)));
  }
  await assertAccessibleAtAnySize(page, "playground, slices");
  await pieces.getByRole("link", { name: "Details of slice 2" }).click();
  await page.waitForURL(/\/screenshots\//);
});
