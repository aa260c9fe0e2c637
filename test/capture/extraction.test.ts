/** `format=markdown`, `metadata` and `elements`: a page's content for programs. */

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { longOnly } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";

const longTest = longOnly(test);
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

test("format=markdown: contains the main content, with absolute links, code, tables and lists", async () => {
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

test("format=markdown: a page that is not an article is complete except for navigation, header and footer", async () => {
  const products = Array.from({ length: 30 }, (_, index) => `<li><a href="/p/${index}">Product ${index}</a> <b>${index} €</b></li>`).join(
    "",
  );
  const text = await markdownOf(`<title>Shop</title><header>Logo</header><nav>Menu</nav><ul>${products}</ul><footer>Imprint</footer>`);
  assert.match(text, /^# Shop\n/);
  for (const index of [0, 15, 29])
    assert.match(text, new RegExp(`\\[Product ${index}\\]\\(https://site/p/${index}\\) \\*\\*${index} €\\*\\*`));
  assert.doesNotMatch(text, /Logo|Menu|Imprint/);
});

longTest("format=markdown: navigation without spaces between its links causes no warning", async () => {
  const links = Array.from("abcdefghijklmnopqrst", (letter) => `<li><a href="/${letter}">${letter.repeat(12)}</a></li>`).join("");
  const { warnings } = await capture(`<title>Menu</title><nav><ul>${links}</ul></nav><main><h1>Menu</h1><p>${paragraph}</p></main>`, {
    format: "markdown",
  });
  assert.equal(warnings, null);
});

test("format=markdown: the words of a rendered formula count once, though the page has them three times", async () => {
  const formula = `<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>speed</mi><mo>=</mo><mi>distance</mi><mi>duration</mi></mrow>
    <annotation encoding="application/x-tex">speed=distance/duration</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">speed=distance/duration</span></span>`;
  const { warnings } = await capture(`<title>Speed</title><main><h1>Speed</h1>${`<p>Thus ${formula}.</p>`.repeat(12)}</main>`, {
    format: "markdown",
  });
  assert.equal(warnings, null);
});

test("format=markdown: same-origin frames are inlined; omitted content causes a warning", async () => {
  const more = `<div>${"Somewhere else, elsewhere. ".repeat(40)}</div>`;
  site.serve({
    "/in/frame": '<h2>In the frame</h2><p>Bake it for an hour at least, and see <a href="more">more</a>.</p><p>Eat it warm.</p>',
  });
  const page = `<!doctype html><title>Frames</title><article><h1>Frames</h1><iframe src="/in/frame"></iframe><p>${paragraph}<p>${paragraph}</article>`;
  const text = await markdownOf(page);
  assert.match(
    text,
    /^# Frames\n\n## In the frame\n\nBake it for an hour at least, and see \[more\]\(https:\/\/site\/in\/more\)\.\n\nEat it warm\.\n\nMix it well/,
  );
  const { warnings } = await capture(
    `<h1>Bread</h1><article><p>${paragraph}<p>${paragraph}<p>${paragraph}</article><div class="sidebar">${more}</div><iframe sandbox src="/in/frame" width="190" height="90"></iframe>`,
    { format: "markdown" },
  );
  assert.match(String(warnings), /about \d\d% of the visible text is not in the Markdown.*use format=text to get all of the text/);
  assert.match(String(warnings), /the page contains a cross-origin frame, whose text is missing/);
});

const xhtml = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>Strict</title></head><body><h1>Strict</h1>
  <ul><li>one</li><li>two</li></ul><p><img src="/red.png" alt="red"/></p><pre><code>a &lt; b
  c</code></pre></body></html>`;
const asXml = (type: string, body: string) => (_: unknown, response: ServerResponse) => {
  response.writeHead(200, { "content-type": type }).end(body);
};

test("format=markdown: XHTML and SVG are converted like HTML", async () => {
  const text = await markdownOf(asXml("application/xhtml+xml", xhtml) as never);
  assert.equal(text, "# Strict\n\n-   one\n-   two\n\n![red](https://site/red.png)\n\n```\na < b\n  c\n```\n");
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><title>Not drawn</title><g><text x="9" y="20">Drawn</text></g></svg>';
  assert.equal(await markdownOf(asXml("image/svg+xml", svg) as never), "# Not drawn\n\nDrawn\n");
});

longTest(
  "format=markdown: drawings keep their links and the lines of a text, chapters their footnotes and headings of two lines",
  async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><title>Boxes</title>
    <text x="9" y="20"><tspan>Take the</tspan><tspan x="9" dy="18">screen</tspan><tspan fill="red">shot</tspan></text><a xlink:href="/more"><text y="60">More</text></a></svg>`;
    const drawn = asXml("image/svg+xml", svg) as never;
    assert.equal(await markdownOf(drawn), "# Boxes\n\nTake the screenshot\n\n[More](https://site/more)\n");
    assert.equal(
      Buffer.from((await capture(drawn, { format: "text" })).bytes)
        .toString()
        .split("\n")[0],
      "Take the screenshot",
    );
    const chapter = `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>Chapter</title></head><body>
    <section><h1>Chapter VII<br/>The Ferry</h1><p>A large ferry<a href="#n">1</a>.</p><aside epub:type="footnote" id="n"><p>Four metres.</p></aside><aside>Advert</aside></section></body></html>`;
    const text = await markdownOf(asXml("application/xhtml+xml", chapter) as never);
    assert.match(text, /^# Chapter VII The Ferry\n\nA large ferry\[1\]\(\S+#n\)\.\n\nFour metres\.\n$/);
  },
);

test("format=markdown: short blocks of the page's main element are included", async () => {
  const page = `<main><h1>Poem</h1><p>Roses are red<br>Violets are blue</p><blockquote>quoted <cite>who</cite></blockquote><p>upper</p><p>${paragraph}</p><p>${paragraph}</p></main>`;
  assert.match(await markdownOf(page), /Roses are red {2}\nViolets are blue\n\n> quoted who\n\nupper\n\nMix it/);
});

longTest("format=markdown: text in Japanese and Chinese is compared by characters, and its line breaks are not spaces", async () => {
  const page = `<html lang="ja"><main><h1>港の朝</h1><p>港は<ruby>夜明<rt>よあ</rt></ruby>け前から動き出す。小さな船が、\n  一隻ずつ戻ってくる。Two\nwords</p></main>`;
  const { bytes, warnings } = await capture(page, { format: "markdown" });
  assert.match(Buffer.from(bytes).toString(), /小さな船が、一隻ずつ戻ってくる。Two words/);
  assert.equal(warnings, null);
});

test("format=markdown: tables made of roles become tables", async () => {
  const row = (cells: string[], role = "cell") =>
    `<div role="row"><div class="inner">${cells.map((cell) => `<span role="${role}">${cell}</span>`).join("")}</div></div>`;
  const page = `<main><h1>Stock</h1><div role="grid"><div role="rowgroup">${row(["Item", "Count"], "columnheader")}</div>
    <div role="rowgroup">${row(["Screws", "40"], "gridcell")}${row(["Nails", '<b role="img">7</b>'])}</div></div><div role="grid"><p>Not a table</p></div></main>`;
  assert.equal(await markdownOf(page), "# Stock\n\n| Item | Count |\n| --- | --- |\n| Screws | 40  |\n| Nails | **7** |\n\nNot a table\n");
});

test("format=markdown: the text in form fields is included, but no password", async () => {
  const page = `<main><h1>Invoice</h1><p>Due <input value="Apr 24"> to <select><option>Acme<option selected>Bank of Latvia</select></p>
    <input type="password" value="secret"><input type="hidden" value="token"><p><textarea>Two\nlines</textarea></p><input type="submit" value="Send"></main>`;
  assert.equal(await markdownOf(page), "# Invoice\n\nDue Apr 24 to Bank of Latvia\n\nTwo  \nlines\n\nSend\n");
});

longTest("format=markdown: adjacent elements that are shown apart are separated", async () => {
  const page = `<style>i { font-style: normal; display: inline-block } x-item { display: inline-block } .row { display: flex; gap: 8px } .block { display: block }</style>
    <main><h1>Parts</h1><p><button>Write</button><button>Preview</button></p><p class="row"><span>Paid</span><span>Print</span></p>
    <p><i>w</i><i>o</i><i>r</i><i>d</i></p><p><span class="block">Title</span><span class="block">Sub</span></p><p><x-item>One</x-item><x-item>two</x-item></p><p><b>5</b>(<em>five</em>)</p></main>`;
  assert.equal(await markdownOf(page), "# Parts\n\nWrite Preview\n\nPaid Print\n\n_word_\n\nTitle  \nSub\n\nOne two\n\n**5**(_five_)\n");
});

test("format=markdown: lines of code whose numbers are in the text keep their breaks", async () => {
  const page = `<pre><span class="n">1</span> <b>let a;</b><i>
<span class="n">2</span> 
<span class="n">3</span> </i><em>let b;</em></pre>`;
  assert.equal(await markdownOf(page), "```\n1 let a;\n2 \n3 let b;\n```\n");
});

longTest("format=markdown: a heading is one line, also if it contains blocks, and its readings are in parentheses", async () => {
  const page = `<main><h1>Harbour</h1><h2><div>Delete</div><div>draft?</div></h2><p>${paragraph}</p>
    <h2><ruby>港<rp>(</rp><rt>みなと</rt><rp>)</rp></ruby>まで</h2><p>${paragraph}</p></main>`;
  assert.equal(await markdownOf(page), `# Harbour\n\n## Delete draft?\n\n${paragraph}\n\n## 港(みなと)まで\n\n${paragraph}\n`);
});

test("format=markdown: a link without text and images is omitted", async () => {
  assert.equal(
    await markdownOf(`<main><h1>Boats</h1><p>Three<a href="#x"><i class="icon"></i></a> boats</p></main>`),
    "# Boats\n\nThree boats\n",
  );
});

longTest("format=markdown: notes in an article are kept, and parts whose class says that they have a footer, or no menu", async () => {
  const page = `<main><article><h1>Kittens</h1><p>${paragraph}</p><div role="alert" class="note">Keep them warm.</div><p>${paragraph}</p>
    <div class="card card--has-footer">Mittens is six weeks old.</div><p>${paragraph}</p><div class="no-menu">Whiskers is seven.</div><p>${paragraph}</p></article></main>`;
  const text = await markdownOf(page);
  for (const kept of ["Keep them warm.", "Mittens is six weeks old.", "Whiskers is seven."])
    assert.ok(text.includes(kept), `${kept}\n${text}`);
});

longTest(
  "format=markdown: spaces around blocks in inline elements don't indent their text, and a summary may be called a header",
  async () => {
    const page = `<main><h1>Cats</h1><span> <span> <span> <span><div> <img src="cat.png" alt="A cat"> Mittens</div></span></span></span></span>
    <p>${paragraph}</p><details open><summary class="box__header">Toggle</summary><p>${paragraph}</p></details><p>${paragraph}</p></main>`;
    const text = await markdownOf(page);
    assert.match(text, /^# Cats\n\n!\[A cat\]\(\S+\) Mittens\n/);
    assert.match(text, /\n\*\*Toggle\*\*\n/);
  },
);

test("format=markdown: formulas keep binomials, bold letters and the source of those that are drawn", async () => {
  const drawn =
    '<mjx-container jax="SVG" display="true"><svg width="9" height="9"><g data-mml-node="math" data-latex="a^2"><path d="M0 0H9V9z"/></g></svg><svg width="9" height="9"><g data-mml-node="math" data-latex="a^2"/></svg></mjx-container>';
  const page = `<main><h1>Coins</h1><p>There are <math><mo>(</mo><mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac><mo>)</mo></math> ways
    along <math><mi mathvariant="bold">V</mi></math>.</p>${drawn}<p>Let <span><span style="display: none"><math><mi>A</mi></math></span>
    <img aria-hidden="true" class="mwe-math-fallback-image-inline" src="a.svg" alt="A^{*}" width="9" height="9"></span> be its dual.</p><p>${paragraph}</p></main>`;
  const [, ways, formula, dual] = (await markdownOf(page)).split("\n\n");
  assert.equal(ways, "There are $\\left(\\genfrac{}{}{0pt}{}{n}{k}\\right)$ ways along $\\mathbf{V}$.");
  assert.equal(formula, "$$\na^2\n$$");
  assert.equal(dual, "Let $A^{*}$ be its dual.");
});

longTest("format=markdown: MathML that MathJax draws with its own elements is written as TeX", async () => {
  const leaf = (name: string, text: string) => `<mjx-${name}><mjx-c>${text}</mjx-c></mjx-${name}>`;
  const root = `<mjx-msqrt><mjx-sqrt><mjx-surd>${leaf("mo", "√")}</mjx-surd><mjx-box>${leaf("mi", "𝑐")}</mjx-box></mjx-sqrt></mjx-msqrt>`;
  const fraction = `<mjx-mfrac><mjx-frac><mjx-num><mjx-nstrut></mjx-nstrut>${leaf("mi", "𝑎")}</mjx-num><mjx-dbox><mjx-dtable><mjx-line></mjx-line>
    <mjx-row><mjx-den><mjx-dstrut></mjx-dstrut>${root}</mjx-den></mjx-row></mjx-dtable></mjx-dbox></mjx-frac></mjx-mfrac>`;
  const sum = `<mjx-munderover><mjx-over>${leaf("mi", "𝑛")}</mjx-over><mjx-box><mjx-munder><mjx-row><mjx-base>${leaf("mo", "∑")}</mjx-base></mjx-row>
    <mjx-row><mjx-under>${leaf("mi", "𝑘")}</mjx-under></mjx-row></mjx-munder></mjx-box></mjx-munderover>`;
  const scripts = `<mjx-msubsup>${leaf("mi", "𝐕")}<mjx-script>${leaf("mn", "2")}<mjx-spacer></mjx-spacer>${leaf("mi", "𝑘")}</mjx-script></mjx-msubsup>`;
  const dotted = `<mjx-mover><mjx-over>${leaf("mo", "˙")}</mjx-over><mjx-base>${leaf("mi", "𝑥")}</mjx-base></mjx-mover>`;
  const bars =
    '<mjx-mo><mjx-stretchy-v class="mjx-c7C"><mjx-ext><mjx-c>∣</mjx-c></mjx-ext><mjx-ext><mjx-c>∣</mjx-c></mjx-ext></mjx-stretchy-v></mjx-mo>';
  const binomial = `<mjx-mfrac><mjx-frac atop="true"><mjx-num>${leaf("mi", "𝑛")}</mjx-num><mjx-den>${leaf("mi", "𝑘")}</mjx-den></mjx-frac></mjx-mfrac>`;
  const page = `<style>mjx-mfrac, mjx-frac, mjx-num { display: block }</style><main><h1>Sums</h1>
    <mjx-container display="true"><mjx-math>${fraction}${leaf("mo", "=")}${sum}${scripts}${dotted}${bars}${binomial}</mjx-math></mjx-container><p>${paragraph}</p></main>`;
  const [, formula] = (await markdownOf(page)).split("\n\n");
  assert.equal(formula, "$$\n\\frac{a}{\\sqrt{c}}=\\sum_{k}^{n}{\\mathbf{V}}_{k}^{2}\\dot{x}|\\genfrac{}{}{0pt}{}{n}{k}\n$$");
});

test("format=markdown: selector returns only that element", async () => {
  assert.equal(await markdownOf(article, { selector: "blockquote" }), "> Patience.\n");
});

longTest("format=markdown: works on a page whose policy forbids scripts to write markup", async () => {
  const strict = (_: unknown, response: { writeHead(status: number, headers: object): { end(body: string): void } }) =>
    response
      .writeHead(200, { "content-type": "text/html", "content-security-policy": "default-src 'none'; require-trusted-types-for 'script'" })
      .end(`<h1>Strict</h1><p>${paragraph}`);
  const { status, bytes } = await capture(strict as never, { format: "markdown" });
  assert.deepEqual([status, Buffer.from(bytes).toString()], [200, `# Strict\n\n${paragraph}\n`]);
});

test("format=markdown: a page that overwrites built-in functions can't change or stop the conversion", async () => {
  const hostile = `${article}<script>
    Element.prototype.cloneNode = Node.prototype.cloneNode = Document.prototype.querySelectorAll = Array.prototype.map = () => { throw new Error("no") };
    globalThis.tintypeText = "forged"; Object.defineProperty(document, "body", { get: () => null });</script>`;
  assert.match(await markdownOf(hostile), /^# Bread\n\nTake \[flour\]/);
});

longTest("format=markdown: a link around a card's heading and paragraphs becomes the heading's link", async () => {
  const page = `<!doctype html><title>News</title><main><h1>News</h1>
    <a href="/one"><div><img src="/a.png" alt="A"><h2>First post</h2><p>How it began.</p></div></a>
    <a href="/two"><p>Second <b>post</b></p></a>
    <a href="/three"><div><img src="/c.png" alt="C"></div></a>
    <p>See <a href="/four">a fourth one</a>.</p></main>`;
  const text = (await markdownOf(page)).replaceAll(/https?:\/\/[^/)]+/g, "");
  assert.equal(
    text,
    [
      "# News",
      "![A](/a.png)",
      "## [First post](/one)",
      "How it began.",
      "[Second **post**](/two)",
      "[![C](/c.png)](/three)",
      "See [a fourth one](/four).\n",
    ].join("\n\n"),
  );
});

longTest("format=markdown: CJK and right-to-left text is unchanged", async () => {
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

test("format=metadata: the page's description of itself, with absolute URLs", async () => {
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

test("format=metadata: author and date fall back to JSON-LD, then to null", async () => {
  const { author, published } = await metadataOf(
    `<script type="application/ld+json">{"@type":"NewsArticle","author":[{"name":"B. Writer"}],"datePublished":"2026-01-02"}</script>`,
  );
  assert.deepEqual([author, published], ["B. Writer", "2026-01-02"]);
  const { url, ...nothing } = await metadataOf("<p>x");
  assert.deepEqual(new Set(Object.values(nothing).map((value) => JSON.stringify(value))), new Set(["200", "null", "{}", "[]"]));
});

interface Elements {
  width: number;
  height: number;
  elements: {
    role: string;
    name: string;
    tag: string;
    text: string;
    href: string | null;
    box: Record<"x" | "y" | "width" | "height", number>;
    selector: string;
    node: number;
  }[];
  tree: { selector: string; tag: string; parent: number | null }[];
}

async function elementsOf(page: string, parameters: Record<string, string> = {}): Promise<Elements> {
  const { status, json } = await capture(page, { format: "elements", ...parameters });
  assert.equal(status, 200, String(json.error));
  return json as unknown as Elements;
}

const form = `<!doctype html><style>body{margin:0;font:16px/20px sans-serif} .at{position:absolute}</style><h1 class="at" style="top:0;margin:0">Sign in</h1>
  <label class="at" style="top:30px">E-mail <input id="mail" style="width:80px"></label>
  <button class="at" style="top:60px;left:10px;width:60px;height:20px" aria-label="Continue to the next page">Go</button>
  <a class="at" style="top:60px;left:100px" href="/help">Help <b>now</b></a><button class="at" style="top:60px;left:10px;visibility:hidden">Hidden</button>
  <p class="at" style="top:400px">Far below</p>`;

test("format=elements: lists role, name, text and box of each element in the image, in order", async () => {
  const { width, height, elements } = await elementsOf(form);
  assert.deepEqual([width, height], [200, 100]);
  const listed = elements.map(({ role, name, tag, href }) => [role, name, tag, href?.replace(site.origin, "")]);
  assert.deepEqual(listed, [
    ["heading", "Sign in", "h1", undefined],
    ["text", "E-mail", "label", undefined],
    ["textbox", "E-mail", "input", undefined],
    ["button", "Continue to the next page", "button", undefined],
    ["link", "Help now", "a", "/help"],
  ]);
  assert.deepEqual(elements[3]?.box, { x: 10, y: 60, width: 60, height: 20 });
  assert.deepEqual(
    elements.map(({ text }) => text),
    ["Sign in", "E-mail", "", "Go", "Help now"],
  );
});

longTest("format=elements: boxes are in pixels of an image taken with the same options", async () => {
  const boxOf = async (parameters: Record<string, string>) => {
    const { width, height, elements } = await elementsOf(form, parameters);
    return [width, height, elements.find(({ tag }) => tag === "button")?.box];
  };
  assert.deepEqual(await boxOf({ device_scale_factor: "2" }), [400, 200, { x: 20, y: 120, width: 120, height: 40 }]);
  assert.deepEqual(await boxOf({ image_width: "100" }), [100, 50, { x: 5, y: 30, width: 30, height: 10 }]);
  const clip = { clip_x: "5", clip_y: "50", clip_width: "100", clip_height: "40" };
  assert.deepEqual(await boxOf(clip), [100, 40, { x: 5, y: 10, width: 60, height: 20 }]);
  const { elements } = await elementsOf(form, { full_page: "true" });
  assert.deepEqual(elements.at(-1)?.text, "Far below");
  assert.equal(elements.at(-1)?.box.y, 416);
});

longTest("format=elements: elements covered by a dialog are omitted; those in open shadow roots are listed", async () => {
  const page = `<button>Below</button><div id="host"></div><div style="position:fixed;inset:0;background:#fff"><button>Close</button></div><script>
    document.querySelector("div[style]").append(host); host.attachShadow({ mode: "open" }).innerHTML = "<button>Inside</button>"</script>`;
  const { elements } = await elementsOf(page);
  assert.deepEqual(
    elements.map(({ name }) => name),
    ["Close", "Inside"],
  );
});

longTest("format=elements: each selector matches only its element, and avoids generated names", async () => {
  const page = `<!doctype html><main id="main"><ul><li>One<li class="css-1a2b3c">Two<li class="last">Three</ul>
    <div class="card"><p class="price">19 €</p></div><div class="card"><p class="price">29 €</p><p id="x81f3c77">Note</p><form><input name="id" value="x"><input name="localName"><button name="parentElement">Go</button></form></div></main>`;
  const { elements, tree } = await elementsOf(page, { width: "400", height: "500" });
  assert.deepEqual(
    elements.map(({ text, selector }) => [text, selector]),
    [
      ["One", "#main > ul > li:nth-child(1)"],
      ["Two", "#main > ul > li:nth-child(2)"],
      ["Three", ".last"],
      ["19 €", "#main > .card:nth-child(2) > .price"],
      ["29 €", "#main > .card:nth-child(3) > .price"],
      ["Note", "#main > .card:nth-child(3) > p:nth-child(2)"],
      ["", "#main > .card:nth-child(3) > form > input:nth-child(1)"],
      ["", "#main > .card:nth-child(3) > form > input:nth-child(2)"],
      ["Go", "#main > .card:nth-child(3) > form > button"],
    ],
  );
  const upwards = (node: number | null): string[] =>
    node === null ? [] : [tree[node]?.tag ?? "?", ...upwards(tree[node]?.parent ?? null)];
  assert.deepEqual(upwards(elements[3]?.node ?? null), ["p", "div", "main", "body", "html"]);
  const found = `document.body.textContent = JSON.stringify(${JSON.stringify(elements.map(({ selector }) => selector))}.map((one) => document.querySelectorAll(one).length))`;
  const { bytes } = await capture(page, { scripts: found, format: "text" });
  assert.deepEqual(
    JSON.parse(Buffer.from(bytes).toString()),
    elements.map(() => 1),
  );
});

longTest("format=elements: a click at the center of each box hits its element", async () => {
  const words = "Lorem ipsum dolor sit amet consectetur ".repeat(4);
  const links = Array.from(
    { length: 40 },
    (_, index) => `<a href="/l/${index}">${words.slice(index)} ${index}</a> and <button>b${index}</button>`,
  ).join(" ");
  const page = `<!doctype html><p>${links}</p>`;
  const { elements } = await elementsOf(page, { width: "700", height: "900" });
  assert.ok(elements.length > 40, String(elements.length));
  const points = elements.map(({ box: { x, y, width, height } }) => [x + width / 2, y + height / 2]);
  const hit = "document.elementFromPoint(x, y)";
  const script = `document.body.textContent = JSON.stringify(${JSON.stringify(points)}.map(([x, y]) => ${hit}.getAttribute("href") ?? ${hit}.textContent))`;
  const { bytes } = await capture(page, { width: "700", height: "900", scripts: script, format: "text" });
  const hits: string[] = JSON.parse(Buffer.from(bytes).toString());
  const wrong = elements.filter(
    ({ role, name, href }, index) => role !== "text" && role !== "paragraph" && hits[index] !== (href ? new URL(href).pathname : name),
  );
  assert.deepEqual(wrong, []);
});

/** Names of DOM properties that the conversions use, here as names of form fields. */
const clobbering = [
  "children",
  "childNodes",
  "matches",
  "checkVisibility",
  "closest",
  "contains",
  "shadowRoot",
  "parentNode",
  "tagName",
  "remove",
  "attributes",
  "getAttribute",
  "classList",
  "innerText",
  "getBoundingClientRect",
  "scrollIntoView",
];
const clobbered = `<form class="form" action="/send">${clobbering.map((name) => `<input name="${name}" aria-label="Field ${name}" style="width:20px">`).join("")}<button>Send</button></form>`;

const withForms: Record<string, string>[] = [{ selector: "form" }, { block_cookie_banners: "true" }, { scripts: "document.title" }];
for (const [index, options] of withForms.entries())
  (index === 0 ? test : longTest)(
    `a form whose fields are named like properties of elements is captured with ${Object.keys(options)}`,
    async () => {
      const { status, json } = await capture(`<h1>Form</h1>${clobbered}`, { ...options, width: "700", height: "400" });
      assert.equal(status, 200, String(json.error));
    },
  );

const tall = '<div style="height:3000px">Text</div>';
const field = (name: string) => `<input name="${name}" style="width:20px">`;
const hiddenPart = '<section style="height:500px;opacity:0">Hidden<p style="height:100px">Text</p></section>';
const scroller = `<style>html, body { height: 100%; margin: 0 }</style>
  <form style="height:100%">${field("style")}<div style="height:100%;overflow:auto"><div style="height:4000px">Text</div></div></form>`;
const shadowing: Record<string, [page: string, options: Record<string, string>]> = {
  "children, in which an attribute changes on scroll": [
    `${tall}<form>${field("children")}<p id="p">Text</p></form>${tall}<script>addEventListener("scroll", () => p.classList.toggle("in"))</script>`,
    { full_page: "true" },
  ],
  "children, with hidden content": [
    `${tall}<form>${field("children")}${hiddenPart.repeat(6)}</form><script>document.title = "t"</script>`,
    { full_page: "true" },
  ],
  "style, which sticks to the bottom": [`${tall}<form style="position:sticky;bottom:0">${field("style")}</form>`, { full_page: "true" }],
  "style, which is fixed to the bottom": [
    `${tall}<form style="position:fixed;bottom:0;width:100%">${field("style")}</form>`,
    { full_page: "true" },
  ],
  "style, around the page's main scroller": [scroller, { full_page: "true" }],
  "style, around the page's main scroller, on paper": [scroller, { format: "pdf" }],
};
for (const [index, [what, [page, options]]] of Object.entries(shadowing).entries())
  (index === 3 ? test : longTest)(`a form with a field named ${what}, is captured`, async () => {
    const { status, json } = await capture(page, { width: "700", height: "400", ...options });
    assert.equal(status, 200, String(json.error));
  });

/** Every word of the functions that run in pages, except global names, which begin with `tintype` and which no ordinary page has. */
async function wordsOfScripts(): Promise<string[]> {
  const folder = new URL("../../src/capture/in-page/", import.meta.url);
  const sources = await Promise.all((await readdir(folder)).map((file) => readFile(new URL(file, folder), "utf8")));
  const words = new Set(sources.join().match(/\b[a-z]\w+\b/g));
  return [...words].filter((word) => word === "tintypeOwn" || !word.startsWith("tintype"));
}

const scripted: Record<string, string>[] = [
  { full_page: "true", hide_selectors: "table", mask_selectors: "i", block_cookie_banners: "true" },
  { format: "pdf" },
  { format: "elements", full_page: "true" },
  { format: "gif", duration: "1", scroll: "down" },
];
for (const [index, options] of scripted.entries())
  (index === 0 ? test : longTest)(
    `the ids of a page's elements don't stand in for what scripts keep: ${JSON.stringify(options)}`,
    async () => {
      const ids = (await wordsOfScripts()).map((word) => `<b id="${word}"></b>`).join("");
      const foot = '<div style="position:fixed;bottom:0;width:100%">Foot</div><i>Mask</i><table><tr><td>1</td></tr></table>';
      const page = `<!doctype html>${ids}${tall}${hiddenPart}${foot}<canvas></canvas><script>addEventListener("scroll", () => {})</script>`;
      const { status, json, warnings } = await capture(page, { width: "700", height: "400", ...options });
      assert.deepEqual([status, json.error, warnings], [200, undefined, null]);
    },
  );

for (const format of ["elements", "markdown", "text", "html", "metadata"])
  (format === "elements" ? test : longTest)(
    `format=${format}: a form whose fields are named like properties of elements is captured`,
    async () => {
      const { status, json, bytes } = await capture(`<h1>Form</h1>${clobbered}`, {
        format,
        width: "700",
        height: "400",
      });
      assert.equal(status, 200, String(json.error));
      const text = Buffer.from(bytes).toString();
      if (format === "elements")
        for (const name of [...clobbering.map((one) => `Field ${one}`), "Send"]) assert.ok(text.includes(name), `${name}: ${text}`);
      else if (format !== "metadata") assert.match(text, /Form/);
    },
  );

test("format=metadata: long texts are truncated, so that the response is small", async () => {
  const { status, bytes } = await capture(
    `<title>T</title><script type="application/ld+json" id="ld"></script><script>
      ld.textContent = JSON.stringify({ "@type": "Article", author: "a".repeat(3e6), datePublished: "9".repeat(3e6) });
      for (const name of ["description", "og:title", "twitter:x"]) document.head.append(Object.assign(document.createElement("meta"), { name, content: "x".repeat(1e6) }));
      document.head.append(Object.assign(document.createElement("link"), { rel: "icon", href: "data:image/png," + "a".repeat(1e6) }));</script>`,
    { format: "metadata" },
  );
  assert.equal(status, 200);
  assert.ok(bytes.length < 20_000, `${bytes.length} bytes`);
});
