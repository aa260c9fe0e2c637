/** `format=markdown` and `format=metadata`: what programs read of a page. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { fileScope } from "../support/scope.ts";

const scope = fileScope();
let site: Captures["site"];
let capture: Captures["capture"];

before(async () => {
  ({ site, capture } = await startCaptures(scope));
});

async function markdownOf(page: string, parameters: Record<string, string> = {}): Promise<string> {
  const { status, json, bytes } = await capture(page, { format: "markdown", ...parameters });
  assert.equal(status, 200, String(json.error));
  return Buffer.from(bytes).toString().replaceAll(site.origin, "https://site");
}

const paragraph = "Mix it well, and wait for a while until it has grown. ".repeat(12).trim();
const article = `<!doctype html><html lang="en"><title>Bread – Recipes</title><nav><a href="/">Home</a> <a href="/all">All recipes</a></nav>
  <article><h1>Bread<a href="#bread">¶</a></h1><p>Take <a href="flour?kind=rye#top">flour</a>, <em>water</em> and <b>salt</b>. ${paragraph}</p>
  <h2>Steps</h2><ol><li>Mix</li><li>Wait<ul><li>An hour</li></ul></li></ol>
  <pre><code class="language-js">const a = "\`\`\`";\n  bake(a);</code></pre><pre>plain\n# no heading</pre>
  <table><thead><tr><th>What</th><th>Grams</th></tr></thead><tbody><tr><td>Flour</td><td>500</td></tr></tbody></table>
  <blockquote>Patience.</blockquote><p style="display:none">Hidden</p><details><summary>More</summary><p>Inside</p></details>
  <p><del>Old</del> <code>x_y</code></p><img src="bread.png" alt="A loaf"></article>
  <footer>Imprint</footer><script>"script"</script>`;

test("format=markdown: the main content, with absolute links, code, tables and lists", async () => {
  const { headers, warnings } = await capture(article, { format: "markdown" });
  assert.deepEqual([headers.get("content-type"), warnings], ["text/markdown; charset=utf-8", null]);
  assert.equal(
    await markdownOf(article),
    `# Bread

Take [flour](https://site/flour?kind=rye#top), _water_ and **salt**. ${paragraph}

## Steps

1.  Mix
2.  Wait
    -   An hour

\`\`\`\`js
const a = "\`\`\`";
  bake(a);
\`\`\`\`

\`\`\`
plain
# no heading
\`\`\`

| What | Grams |
| --- | --- |
| Flour | 500 |

> Patience.

**More**

Inside

~~Old~~ \`x_y\`

![A loaf](https://site/bread.png)
`,
  );
});

test("format=markdown: a page that is no article is complete, but for its navigation, header and footer", async () => {
  const products = Array.from({ length: 30 }, (_, index) => `<li><a href="/p/${index}">Product ${index}</a> <b>${index} €</b></li>`).join(
    "",
  );
  const text = await markdownOf(`<title>Shop</title><header>Logo</header><nav>Menu</nav><ul>${products}</ul><footer>Imprint</footer>`);
  assert.match(text, /^# Shop\n/);
  for (const index of [0, 15, 29])
    assert.match(text, new RegExp(`\\[Product ${index}\\]\\(https://site/p/${index}\\) \\*\\*${index} €\\*\\*`));
  assert.doesNotMatch(text, /Logo|Menu|Imprint/);
});

test("format=markdown: selector gives that element alone", async () => {
  assert.equal(await markdownOf(article, { selector: "blockquote" }), "> Patience.\n");
});

test("format=markdown: a page that forbids scripts to write markup is converted, too", async () => {
  const strict = (_: unknown, response: { writeHead(status: number, headers: object): { end(body: string): void } }) =>
    response
      .writeHead(200, { "content-type": "text/html", "content-security-policy": "default-src 'none'; require-trusted-types-for 'script'" })
      .end(`<h1>Strict</h1><p>${paragraph}`);
  const { status, bytes } = await capture(strict as never, { format: "markdown" });
  assert.deepEqual([status, Buffer.from(bytes).toString()], [200, `# Strict\n\n${paragraph}\n`]);
});

test("format=markdown: a page that overwrites the browser's functions can't change or stop the conversion", async () => {
  const hostile = `${article}<script>
    Element.prototype.cloneNode = Node.prototype.cloneNode = Document.prototype.querySelectorAll = Array.prototype.map = () => { throw new Error("no") };
    globalThis.tintypeText = "forged"; Object.defineProperty(document, "body", { get: () => null });</script>`;
  assert.match(await markdownOf(hostile), /^# Bread\n\nTake \[flour\]/);
});

test("format=markdown: CJK and right-to-left text is unchanged", async () => {
  const japanese = "日本語の文章です。".repeat(60);
  const hebrew = "זהו טקסט בעברית. ".repeat(40).trim();
  assert.equal(
    await markdownOf(`<meta charset="utf-8"><main><h1>見出し</h1><p>${japanese}<p dir="rtl">${hebrew}</main>`),
    `# 見出し\n\n${japanese}\n\n${hebrew}\n`,
  );
});

async function metadataOf(page: string): Promise<Record<string, unknown>> {
  const { status, json } = await capture(page, { format: "metadata" });
  assert.equal(status, 200, String(json.error));
  return JSON.parse(JSON.stringify(json).replaceAll(site.origin, "https://site"));
}

test("format=metadata: what the page says about itself, with absolute addresses", async () => {
  const { url, ...metadata } = await metadataOf(`<!doctype html><html lang="de-AT"><title> Brot
    backen </title><meta name="description" content="Wie man Brot backt"><link rel="canonical" href="/brot"><meta name="theme-color" content="#c84">
    <meta property="og:title" content="Brot!"><meta property="og:image" content="brot.png"><meta property="og:image" content="second.png">
    <meta property="og:site_name" content="Rezepte"><meta name="twitter:card" content="summary"><meta name="author" content="A. Baker">
    <meta property="article:published_time" content="2026-03-01T10:00:00Z"><link rel="icon" href="/icon.svg" sizes="any" type="image/svg+xml">
    <link rel="alternate" type="application/rss+xml" title="Neues" href="/feed"><link rel="alternate" hreflang="en" href="/en">
    <script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"Recipe"},{"@type":["WebPage","ItemPage"]}]}</script>
    <script type="application/ld+json">{broken</script>`);
  assert.match(String(url), /^https:\/\/site\/page-/);
  assert.deepEqual(metadata, {
    status: 200,
    title: "Brot backen",
    description: "Wie man Brot backt",
    canonical: "https://site/brot",
    language: "de-AT",
    author: "A. Baker",
    published: "2026-03-01T10:00:00Z",
    site_name: "Rezepte",
    image: "https://site/brot.png",
    theme_color: "#c84",
    open_graph: { title: "Brot!", image: "brot.png", site_name: "Rezepte" },
    twitter: { card: "summary" },
    icons: [{ url: "https://site/icon.svg", rel: "icon", sizes: "any", type: "image/svg+xml" }],
    feeds: [{ url: "https://site/feed", title: "Neues", type: "application/rss+xml" }],
    json_ld_types: ["Recipe", "WebPage", "ItemPage"],
  });
});

test("format=metadata: author and date of JSON-LD count where no meta element names them; nothing is null", async () => {
  const { author, published } = await metadataOf(
    `<script type="application/ld+json">{"@type":"NewsArticle","author":[{"name":"B. Writer"}],"datePublished":"2026-01-02"}</script>`,
  );
  assert.deepEqual([author, published], ["B. Writer", "2026-01-02"]);
  const { url, ...nothing } = await metadataOf("<p>x");
  assert.deepEqual(new Set(Object.values(nothing).map((value) => JSON.stringify(value))), new Set(["200", "null", "{}", "[]"]));
});
