/** `html` and `markdown`: the caller's document, rendered like a page at its `base_url`, with no additional rights. */

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { pixelAt } from "../support/image.ts";
import { longOnly } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage, createSite, type Site } from "../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
let elsewhere: Site;
let captures: Captures;
let site: Site;

before(async () => {
  elsewhere = await createSite(scope);
  const { port } = new URL(elsewhere.origin);
  elsewhere.origin = `http://localhost:${port}`; // cookies distinguish hosts, not ports
  captures = await startCaptures(scope, { EGRESS_ALLOWED_HOSTS: `localhost:${port}` });
  site = captures.site;
});

async function post(options: object, key = captures.key): Promise<Response> {
  return await fetch(`${captures.service.origin}/v1/screenshots/take`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify({ format: "png", width: 200, height: 100, ...options }),
  });
}

async function failureOf(response: Response): Promise<{ status: number; code: string; message: string }> {
  const { code, message } = await response.json();
  return { status: response.status, code, message };
}

/** The title of the captured document, and the rest of its JSON description. */
async function described(options: object) {
  const response = await post({ ...options, response_type: "json" });
  const json = await response.json();
  assert.equal(response.status, 200, json.error);
  return { ...json, fact: json.title && JSON.parse(json.title) };
}

/** HTML whose title is the result of `expression` as JSON. */
const telling = (expression: string, body = "") =>
  `<!doctype html><body>${body}<script>(async () => { document.title = JSON.stringify(await (${expression})) })()</script>`;

const pathsOf = (of: Site) => of.requests.map(({ path }) => path);

test("html: is rendered with the origin, referrer and URL of base_url, against which relative images, styles and scripts are resolved", async () => {
  site.serve({
    "/a/style.css": (_, response) => response.setHeader("content-type", "text/css").end("body { margin: 0; background: rgb(0, 0, 255) }"),
    "/a/script.js": (_, response) => response.setHeader("content-type", "text/javascript").end("window.ran = true"),
    "/a/data": "some data",
  });
  const base_url = `${site.origin}/a/page?b=*#part`;
  const html = telling(
    `fetch("data").then((answer) => answer.text()).then((data) => [data, window.ran, location.href, origin, isSecureContext])`,
    '<link rel="stylesheet" href="style.css"><script src="/a/script.js"></script>',
  );
  const { fact, target } = await described({ html, base_url });
  assert.deepEqual(fact, ["some data", true, base_url, site.origin, true]);
  assert.deepEqual(target, { status: 200, url: base_url });
  const bytes = new Uint8Array(await (await post({ html, base_url })).arrayBuffer());
  assert.equal(pixelAt(bytes, 100, 50), "#0000ff");
  assert.ok(!pathsOf(site).includes("/a/page"), "the document itself is not requested");
  assert.equal(site.requests.find(({ path }) => path === "/a/style.css")?.headers.referer, `${site.origin}/a/page?b=*`);
});

longTest("html: without links to base_url, nothing connects to it", async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  scope.after(() => server.close());
  const { port } = server.address() as { port: number };
  const { service, key } = await startCaptures(scope, { EGRESS_ALLOWED_HOSTS: `127.0.0.1:${port}` });
  for (const scheme of ["http", "https"]) {
    const asked = { html: colouredPage("#00ff00"), base_url: `${scheme}://127.0.0.1:${port}/`, format: "png", api_key: key };
    const response = await fetch(`${service.origin}/v1/screenshots/take`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(asked),
    });
    assert.equal(pixelAt(new Uint8Array(await response.arrayBuffer()), 9, 9), "#00ff00");
  }
  assert.equal(connections, 0);
});

longTest("the document is never requested from base_url, however Chromium spells that URL", async () => {
  const reloading = telling(`sessionStorage.getItem("again") ?? (sessionStorage.setItem("again", "reloaded"), location.reload(), "first")`);
  const before = site.requests.length;
  for (const part of ["a|b", "a^b", "`'\"<>{}[]", "a\\b", "%7c%7C|", "é|", "a b", "?|^`{}'\"<>", "#|`{}"]) {
    const { fact, target } = await described({ html: reloading, base_url: `${site.origin}/spelling/${part}` });
    assert.deepEqual([fact, target.status], ["reloaded", 200], part);
  }
  const requested = site.requests.slice(before).filter(({ path }) => path.startsWith("/spelling"));
  assert.deepEqual(requested, []);
});

longTest("html: a document that reloads is rendered again; one that navigates shows the new page", async () => {
  const html = telling(`sessionStorage.getItem("again") ?? (sessionStorage.setItem("again", "reloaded"), location.reload(), "first")`);
  assert.equal((await described({ html, base_url: `${site.origin}/reloads` })).fact, "reloaded");
  assert.ok(!pathsOf(site).includes("/reloads"));
  site.serve({ "/left": colouredPage("#ff00ff") });
  const leaving = await post({ html: `<script>location = "/left"</script>`, base_url: `${site.origin}/leaves` });
  assert.equal(leaving.headers.get("x-target-url"), `${site.origin}/left`);
});

test("html: headers, authorization and cookies are sent only to the origin of base_url", async () => {
  site.serve({ "/own.png": "no image" });
  elsewhere.serve({ "/other.png": "no image" });
  const html = `<img src="/own.png"><img src="${elsewhere.origin}/other.png">`;
  const secrets = { headers: { "X-Secret": "a" }, authorization: "Bearer b", cookies: { c: "d" } };
  await (await post({ html, base_url: `${site.origin}/`, ...secrets })).arrayBuffer();
  const sent = (of: Site, wanted: string) => of.requests.findLast(({ path }) => path === wanted)?.headers;
  const own = sent(site, "/own.png");
  assert.deepEqual([own?.["x-secret"], own?.authorization, own?.cookie], ["a", "Bearer b", "c=d"]);
  const other = sent(elsewhere, "/other.png");
  assert.ok(other);
  assert.deepEqual([other["x-secret"], other.authorization, other.cookie], [undefined, undefined, undefined]);
  const nowhere = await post({ html: `<img src="${elsewhere.origin}/other.png">`, ...secrets });
  assert.equal(nowhere.status, 200);
  assert.equal(sent(elsewhere, "/other.png")?.["x-secret"], undefined);
});

longTest("html: without base_url, the document's URL leads nowhere and is a secure context", async () => {
  const html = telling(`fetch("/a").then(() => "answered", () => [location.href, "refused", crypto.randomUUID().length])`);
  const { fact, target, warnings } = await described({ html: `${html}<p>some text` });
  assert.deepEqual(fact, ["http://html.localhost/", "refused", 36]);
  assert.deepEqual([target, warnings], [{ status: 200, url: "http://html.localhost/" }, []]);
  assert.equal((await described({ markdown: '"here"\n===' })).target.url, "http://markdown.localhost/");
  const withAd = await post({ html: '<p class="ad-leader">an ad<p>words', block_ads: true, format: "text" });
  assert.equal((await withAd.text()).trim(), "words"); // the filter lists don't hide anything on localhost itself
});

longTest("html: a document that depends on no address has the same image whether it is written into the page or loaded", async () => {
  const inEach: Record<string, [body: string, options?: object]> = {
    "with styles": [
      "<!doctype html><style>body { margin: 0; background: linear-gradient(90deg, red, blue); font: 30px serif }</style><p>text",
    ],
    "without doctype": ["<table><tr><td><font size=7 color=green>old</font></table><p>é ü 文字 ﷽"],
    "with data": [
      `<!doctype html><style>p::after { content: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='9' height='9'%3E%3Crect width='9' height='9'/%3E%3C/svg%3E") }</style><p>a`,
    ],
    animated: ["<!doctype html><style>@keyframes a { to { margin-left: 90px } } p { animation: a 1s both }</style><p>moves"],
    dark: ["<!doctype html><style>:root { color-scheme: light dark }</style><p>dark", { prefers_color_scheme: "dark" }],
    "dark without a choice of colors": ["<!doctype html><p>dark", { prefers_color_scheme: "dark" }],
    transparent: ["<!doctype html><p>nothing behind", { omit_background: true }],
    scaled: ["<!doctype html><p>twice", { device_scale_factor: 2, wait_until: ["load"] }],
    mobile: ["<!doctype html><meta name=viewport content='width=device-width'><p>small", { viewport_device: "iPhone 15" }],
    thumbnail: ["<!doctype html><h1>thumb</h1>", { image_width: 60, format: "jpeg" }],
  };
  for (const [name, [html, options]] of Object.entries(inEach)) {
    const [written, loaded] = await Promise.all([post({ html, ...options }), post({ html: `${html}<!-- <link> -->`, ...options })]);
    const images = await Promise.all([written, loaded].map(async (response) => Buffer.from(await response.arrayBuffer())));
    assert.ok(images[0]?.equals(images[1] ?? Buffer.alloc(0)), name);
    for (const header of ["x-target-url", "x-target-status", "x-verdict", "x-warnings"])
      assert.equal(written.headers.get(header), loaded.headers.get(header), `${name}: ${header}`);
    assert.equal(written.headers.get("x-target-url"), "http://html.localhost/");
  }
});

test("html: neither a private base_url nor the document can reach files, private addresses or the service", async () => {
  const hidden = await createSite(scope, { "/": "hidden", "/secret": "hidden" });
  for (const base_url of [`${hidden.origin}/`, "http://169.254.169.254/latest/", captures.service.origin, "http://localhost:1234/"]) {
    const { status, code, message } = await failureOf(await post({ html: "<p>hello", base_url }));
    assert.deepEqual([status, code], [400, "target_blocked"]);
    assert.match(message, /^The target's address is blocked\./);
  }
  const targets = [
    `${hidden.origin}/secret`,
    "http://169.254.169.254/latest/meta-data/",
    `${captures.service.origin}/health`,
    "file:///etc/passwd",
  ];
  const tries = targets.map((url) => `fetch(${JSON.stringify(url)}, { mode: "no-cors" }).then(() => "answered", () => "refused")`);
  const frames = targets.map((url) => `<iframe src="${url}"></iframe><img src="${url}"><object data="${url}"></object>`).join("");
  for (const base_url of [undefined, `${site.origin}/`]) {
    const { fact } = await described({ html: telling(`Promise.all([${tries}])`, frames), base_url });
    assert.deepEqual(
      fact,
      targets.map(() => "refused"),
    );
  }
  assert.deepEqual(hidden.requests, []);
  for (const url of ["file:///etc/passwd", `${captures.service.origin}/health`]) {
    const moved = await post({ html: `<script>location = ${JSON.stringify(url)}</script><p>still here`, base_url: `${site.origin}/` });
    if (moved.status === 200) assert.equal(moved.headers.get("x-target-url"), `${site.origin}/`);
    await moved.arrayBuffer();
  }
});

longTest("html: a key with allowed targets requires a base_url among them", async () => {
  const { key } = await captures.service.createAccount({ targets: [site.host] });
  const html = colouredPage("#00ff00");
  assert.equal((await post({ html, base_url: `${site.origin}/` }, key)).status, 200);
  for (const base_url of [undefined, `${elsewhere.origin}/`])
    assert.equal((await failureOf(await post({ html, base_url }, key))).code, "target_not_allowed");
  const leaving = await post({ html: `<script>location = "${elsewhere.origin}/"</script>`, base_url: `${site.origin}/` }, key);
  assert.equal((await failureOf(leaving)).code, "target_not_allowed");
});

test("exactly one of url, html and markdown is required; documents may have at most 2 MB", async () => {
  const url = `${site.origin}/`;
  const messages = async (options: object) => {
    const { status, message } = await failureOf(await post(options));
    assert.equal(status, 400);
    return message;
  };
  assert.equal(await messages({}), "url is missing: send url, html or markdown.");
  assert.equal(await messages({ html: "", markdown: null }), "url is missing: send url, html or markdown.");
  assert.equal(await messages({ url, html: "a" }), "html can't be combined with url: send only one of url, html and markdown.");
  assert.match(await messages({ url, html: "a", markdown: "b" }), /^html can't be combined.*markdown can't be combined/);
  assert.match(await messages({ html: "a", markdown: "b" }), /^markdown can't be combined with html/);
  assert.equal(await messages({ url, base_url: url }), "base_url requires html or markdown.");
  assert.equal(
    await messages({ html: "a", base_url: "www.example.com" }),
    "base_url is not absolute (did you mean https://www.example.com?).",
  );
  assert.match(await messages({ html: "a", base_url: "file:///etc" }), /base_url has the scheme file/);
  assert.match(await messages({ html: 5 }), /^html must be a string of at most 2 MB, not 5/);
  assert.equal(await messages({ html: "é".repeat(1024 * 1024 + 1) }), "html is longer than 2 MB.");
  assert.equal((await post({ html: colouredPage("#00ff00", "é".repeat(1_000_000)) })).status, 200);
});

test("html: documents are cached by content, even with GET; history and log contain a hash, not the document", async () => {
  const html = colouredPage("#00ff00", "something confidential");
  const asked = { html, base_url: `${site.origin}/`, is_cached: true };
  const stored = await post({ ...asked, response_type: "empty" });
  const id = stored.headers.get("x-screenshot-id");
  const query = { api_key: captures.key, html, base_url: `${site.origin}/`, is_cached: "true", format: "png", width: "200", height: "100" };
  for (const again of [await post(asked), await captures.service.take(query)])
    assert.deepEqual([again.headers.get("x-cache"), again.headers.get("x-screenshot-id")], ["HIT", id]);
  for (const other of [{ html: `${html}!` }, { base_url: `${site.origin}/b` }, { html: undefined, markdown: html }])
    assert.equal((await post({ ...asked, ...other })).headers.get("x-cache"), "MISS");
  const { rows } = await captures.service.pool.query("select url, options from screenshots where id = $1", [id]);
  assert.equal(rows[0].url, `${site.origin}/`);
  assert.match(rows[0].options.html, new RegExp(`^sha256 [0-9a-f]{64}, ${html.length} bytes$`));
  const dry = await (await post({ ...asked, dry_run: true })).json();
  assert.equal(dry.options.html, rows[0].options.html);
  assert.doesNotMatch(captures.service.logged(), /something confidential/);
});

longTest("html: a page's HTML with its URL as base_url gives the same image as the page", async () => {
  const page = `<!doctype html><link rel="stylesheet" href="look.css"><h1>A page</h1><img src="image.svg"><script src="more.js"></script>`;
  site.serve({
    "/same/": page,
    "/same/look.css": (_, response) => response.setHeader("content-type", "text/css").end("h1 { color: #0a0; font: 30px serif }"),
    "/same/more.js": (_, response) => response.setHeader("content-type", "text/javascript").end("document.body.append(location.href)"),
    "/same/image.svg": (_, response) => response.setHeader("content-type", "image/svg+xml").end(square),
  });
  const url = `${site.origin}/same/`;
  const images = [await post({ url }), await post({ html: page, base_url: url })];
  const [own, same] = await Promise.all(images.map(async (answer) => Buffer.from(await answer.arrayBuffer())));
  assert.ok(own && same?.equals(own));
});

const square = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20" fill="red"/></svg>';

test("markdown: rendered as on GitHub, with title, relative images and HTML", async () => {
  site.serve({ "/doc/image.svg": (_, response) => response.setHeader("content-type", "image/svg+xml").end(square) });
  const markdown = [
    "# A *title* with `code`",
    "| a | b |\n|---|:-:|\n| 1 | 2 |",
    "- [x] done\n- [ ] open",
    "~~gone~~ https://example.com and a [link](other.md)",
    "![image](image.svg)",
    "<details open><summary>More</summary>\n\n**bold**\n\n</details>",
    "> [!WARNING]\n> Take *care*.",
    "```js\nconst a = '</script><!-- <script>';\n```",
  ].join("\n\n");
  const scripts = `
    const count = (selector) => document.querySelectorAll(selector).length;
    document.title = JSON.stringify([document.title, count("td[align=center], th[align=center]"), count("input[type=checkbox]:checked"),
      count("del"), document.links[0].href, document.links[1].href, document.images[0].naturalWidth, count("details strong"),
      document.querySelector("blockquote.warning").textContent.trim().split(/\\s+/).join(" "),
      document.querySelector("pre code").textContent, document.scripts.length, document.compatMode])`;
  const { fact, warnings } = await described({ markdown, base_url: `${site.origin}/doc/readme.md`, scripts });
  assert.deepEqual(warnings, []);
  const title = "A title with code";
  const code = "const a = '</script><!-- <script>';\n";
  assert.deepEqual(fact, [
    title,
    2,
    1,
    1,
    "https://example.com/",
    `${site.origin}/doc/other.md`,
    20,
    1,
    "WarningTake care.",
    code,
    0,
    "CSS1Compat",
  ]);
});

longTest("markdown: `styles` and the document's own rules override the default style sheet, which has a dark mode", async () => {
  const background = async (options: object) => pixelAt(new Uint8Array(await (await post(options)).arrayBuffer()), 1, 1);
  assert.equal(await background({ markdown: "# a" }), "#ffffff");
  assert.equal(await background({ markdown: "# a", prefers_color_scheme: "dark" }), "#0f1318");
  assert.equal(await background({ markdown: "# a", styles: "html { background: red }" }), "#ff0000");
  assert.equal(await background({ markdown: "<style>html { background: blue }</style>\n\n# a" }), "#0000ff");
});

longTest("markdown: text nested too deeply is shown unformatted, with a warning; endless parsing ends at the deadline", async () => {
  const deep = await described({
    markdown: `${">".repeat(20_000)} a`,
    scripts: "document.title = document.querySelectorAll('pre').length",
  });
  assert.equal(deep.fact, 1);
  assert.match(deep.warnings.join(), /nested too deeply to be rendered/);
  const amplified = `[a]: http://a.example/${"x".repeat(1_000_000)}\n\n${"[a] ".repeat(200_000)}`;
  const refused = await failureOf(await post({ markdown: amplified, timeout: 5 }));
  assert.ok(["target_timeout", "page_too_heavy", "page_crashed"].includes(refused.code), refused.message);
  assert.equal((await post({ markdown: "# fine" })).status, 200);
});
