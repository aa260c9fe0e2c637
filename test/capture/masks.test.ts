/** Masks: masked content is in no image and no document, and the layout doesn't change. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { PNG } from "pngjs";
import { applyMasks } from "../../src/capture/masks.ts";
import type { Work } from "../../src/capture/option-group.ts";
import { type Captures, startCaptures } from "../support/captures.ts";
import { readPixels } from "../support/image.ts";
import { longOnly, onlyLong } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { createSite, type Site } from "../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
let captures: Captures;
let elsewhere: Site;

before(async () => {
  elsewhere = await createSite(scope);
  captures = await startCaptures(scope, { EGRESS_ALLOWED_HOSTS: elsewhere.host });
});

const look = `<!doctype html><style>* { margin: 0; font: inherit } body { font: 16px monospace; line-height: 24px } .m { transition: all 9s }
  #strong span { visibility: visible !important; color: red !important }</style>`;
/** `text` has ten letters and digits. It is in every masked part of the page, and in nothing else. */
const parts = (text: string) => `<p>before <span class="m">${text} and <b>${text}</b></span> after</p>
  <p><a href="#" style="color:#00f">a link to <span class="m">${text}</span></a></p>
  <p class="m" style="transform: rotate(0.001deg)" title="${text}" data-name="${text}" aria-label="${text}">${text}</p>
  <div class="m" id="strong" style="-webkit-text-fill-color: red !important">${text} <span style="visibility: visible !important">${text}</span></div>
  <input class="m" value="${text}"> <input class="m" placeholder="${text}"> <textarea class="m">${text}</textarea>
  <select class="m"><option>${text}</select> <button class="m" title="${text}">${text}</button> <input type="submit" class="m" value="${text}">
  <table><tr class="m"><td>${text}<td>${text}<tr><td>rows</table>
  <ul><li class="m">${text}<li>items</ul>
  <img class="m" alt="${text}" width="40" height="20" src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><text y='15'>${text}</text></svg>">
  <svg class="m" width="90" height="20"><title>${text}</title><text y="15">${text}</text></svg> <svg width="90" height="20"><text class="m" y="15">${text}</text></svg>
  <canvas class="m" width="100" height="20"></canvas> <a class="m" href="mailto:${text}@example.com">${text}</a>
  <div class="m generated" data-name="${text}"></div><style>.generated { height: 24px } .generated::before { content: attr(data-name) }</style>
  <div class="m"><iframe srcdoc="${text}" width="100" height="30"></iframe></div>
  <iframe class="m" srcdoc="${text}" width="100" height="30"></iframe>
  <iframe srcdoc="<p class=m>${text}" width="100" height="30"></iframe>
  <button aria-labelledby="number">a button</button> <p class="m"><b id="number">${text}</b></p>
  <x-shadow class="m"></x-shadow><x-shadow></x-shadow><x-closed class="m"></x-closed><script>
    document.querySelector("canvas").getContext("2d").fillText("${text}".split("").reverse().join(""), 0, 15);
    for (const host of document.querySelectorAll("x-shadow"))
      host.attachShadow({ mode: "open" }).innerHTML = '<p style="visibility: visible"><span class="m" style="visibility: visible">${text}</span> in a shadow root</p>';
    document.querySelector("x-closed").attachShadow({ mode: "closed" }).innerHTML = '<p style="visibility: visible; color: red">${text}</p>';
  </script>`;
const [first, second] = ["QWertzuiop", "YXcvbnmjkl"] as const;
const tall = { full_page: "true", width: "500", height: "300", mask_selectors: ".m", mask_color: "ff00aa" };

/** The number of covered pixels; asserts that all others are the same as without masks. */
function coveredPixels(plain: Uint8Array, masked: Uint8Array): number {
  const [one, other] = [plain, masked].map((bytes) => PNG.sync.read(Buffer.from(bytes)));
  assert.ok(one && other);
  assert.deepEqual([other.width, other.height], [one.width, one.height]);
  let count = 0;
  for (let at = 0; at < one.data.length; at += 4) {
    const [before, after] = [one, other].map(({ data }) => data.subarray(at, at + 3).toString("hex"));
    if (after === "ff00aa") count += 1;
    else if (before !== after) assert.fail(`${(at / 4) % one.width}, ${Math.floor(at / 4 / one.width)}: ${before}, ${after}`);
  }
  return count;
}

for (const mask of ["solid", "blur", ...onlyLong(["pixelate"])])
  test(`mask=${mask}: images of pages that differ only in masked text are identical`, async () => {
    const [one, other] = [
      await captures.capture(look + parts(first), { ...tall, mask }),
      await captures.capture(look + parts(second), { ...tall, mask }),
    ];
    assert.deepEqual([one.status, one.warnings], [200, null]);
    assert.ok(Buffer.from(one.bytes).equals(other.bytes));
  });

longTest("mask_selectors: the underline of a link around a masked heading doesn't show how long its lines are", async () => {
  const page = (
    text: string,
  ) => `${look}<a href="#" style="color:#00f">a link <h2 class="m">${text}</h2></a><u><div><p class="m">${text}</p></div></u>
    <x-host></x-host><a href="#" style="float:left">a link <b class="m" style="display:inline-block;width:200px">${text}</b></a><script>
    const host = document.querySelector("x-host");
    host.attachShadow({ mode: "open" }).innerHTML = "<s style='color:red'><slot></slot></s>";
    host.innerHTML = "<p class=m>${text}</p>";
  </script>`;
  const [one, other] = [await captures.capture(page("ten"), tall), await captures.capture(page("ten or twenty"), tall)];
  assert.deepEqual([one.status, one.warnings], [200, null]);
  assert.ok(Buffer.from(one.bytes).equals(other.bytes));
});

test("mask_selectors: nothing but the masked elements changes in the image", async () => {
  const page = `${look}<p>before <span class="m">one</span> and <span class="m">two <i>three</i></span> after</p><h2 class="m">A title</h2>
    <div style="display:flex"><p class="m">1</p><p>flex</p></div><input class="m" value="four" style="border: 0;border-radius:0">
    <input type="checkbox" class="m" checked style="outline:0"> <progress class="m" value=".5"></progress> <iframe class="m" srcdoc="six" width="100" height="30" style="border:0"></iframe> a line
    <table><tr class="m"><td>seven<td>eight<tr><td>rows</table>`;
  const { mask_selectors, mask_color, ...plain } = tall;
  const [one, other] = [await captures.capture(page, plain), await captures.capture(page, tall)];
  assert.ok(coveredPixels(one.bytes, other.bytes) > 10_000);
});

longTest("mask_selectors: sticky and fixed elements and cross-origin frames are covered on every tile of a long page", async () => {
  const long = (text: string) => {
    elsewhere.serve({ [`/${text}`]: `${look}<p>frame</p><p class="m">${text}</p>` });
    const sites = [elsewhere.origin, elsewhere.origin.replace("127.0.0.1", "localhost")];
    return `${look}<header class="m" style="position:sticky;top:0">${text}</header><p class="m" style="position:fixed;bottom:0">${text}</p>
      <main style="height:9000px;position:relative">${sites.map((origin, index) => `<iframe src="${origin}/${text}" style="position:absolute;border:0;left:${index * 150}px;top:100px" width="140" height="60"></iframe><iframe src="${origin}/${text}" style="position:absolute;border:0;left:${index * 150}px;top:5000px" width="140" height="60"></iframe>`).join("")}
      <p class="m" style="position:absolute;top:8500px">${text}</p></main>`;
  };
  const [one, other] = [await captures.capture(long(first), tall), await captures.capture(long(second), tall)];
  assert.deepEqual([one.status, one.warnings], [200, null]);
  assert.ok(Buffer.from(one.bytes).equals(other.bytes));
  const pixel = readPixels(one.bytes);
  const places = [[5, 5], [5, 155], [155, 155], [5, 5_055], [155, 5_055], [5, 8_535]] as const; // biome-ignore format: a list
  for (const [x, y] of places) assert.equal(pixel(x, y), "#ff00aa", `${x}, ${y}`);
});

const textOf = async (format: string, bytes: Uint8Array): Promise<string> => {
  if (format === "mhtml") return Buffer.from(bytes).toString().replace(/=\r\n/g, "");
  if (format !== "pdf") return Buffer.from(bytes).toString();
  const pdf = await getDocument({ data: Uint8Array.from(bytes), verbosity: 0 }).promise;
  const pages = Array.from({ length: pdf.numPages }, (_, index) => pdf.getPage(index + 1));
  const read = pages.map(async (page) => {
    const [content, structure, links] = [
      await (await page).getTextContent(),
      await (await page).getStructTree(),
      await (await page).getAnnotations(),
    ];
    return JSON.stringify([content.items, structure, links]);
  });
  return (await Promise.all(read)).join("") + JSON.stringify([await pdf.getOutline(), await pdf.getMetadata()]);
};

for (const [
  format,
  more,
] of [["pdf"], ...onlyLong([["html"], ["mhtml"], ["text"], ["elements", { match_selectors: "p\n.m\nbody" }], ["markdown"], ["metadata"], ["elements"]] as const)] as const) // biome-ignore format: a list
  test(`format=${format}${more ? " with match_selectors" : ""}: no masked text is in the document`, async () => {
    const page = `${look}<title class="m">${first}</title><meta name="author" class="m" content="${first}"><h1>A heading</h1>${parts(first)}<p>The end of the page</p>`;
    const plain = await captures.capture(page, { format, ...more });
    assert.ok((await textOf(format, plain.bytes)).includes(first), "without masks");
    const { status, bytes, warnings } = await captures.capture(page, { format, full_page: "true", ...more, mask_selectors: ".m" });
    assert.equal(status, 200, Buffer.from(bytes).toString().slice(0, 300));
    assert.equal(warnings?.includes("mask") ?? false, false);
    const text = await textOf(format, bytes);
    assert.equal(text.indexOf(first), -1, text.slice(Math.max(0, text.indexOf(first) - 300), text.indexOf(first) + 40));
    if (format !== "metadata") assert.match(text, /end.*of.*the.*page/s);
  });

test("format=pdf: masked text that the page rewrites during printing is not in the document", async () => {
  const page = `${look}<main><p class="m">${first}</p></main><p>The end of the page</p><script>
    const html = document.querySelector("main").innerHTML;
    addEventListener("beforeprint", () => { document.querySelector("main").innerHTML = html; });
  </script>`;
  const { status, bytes } = await captures.capture(page, { format: "pdf", mask_selectors: ".m" });
  const text = await textOf("pdf", bytes);
  assert.deepEqual([status, text.includes(first), /end.*of.*the.*page/s.test(text)], [200, false, true]);
});

longTest("format=elements: boxes are the same as without masks", async () => {
  const page = `${look}<h1>A heading</h1>${parts(first)}<p>The end of the page</p>`;
  const boxes = async (parameters: Record<string, string>) => {
    const { bytes } = await captures.capture(page, { ...tall, format: "elements", match_selectors: "p\nspan\ninput\nbutton\ntd\nselect\niframe\nimg", ...parameters }); // biome-ignore format: one call
    const { matches } = JSON.parse(Buffer.from(bytes).toString()) as { matches: { elements: { box: unknown }[] }[] };
    return matches.map(({ elements }) => elements.map(({ box }) => box));
  };
  assert.deepEqual(await boxes({}), await boxes({ mask_selectors: "" }));
});

test("mask_selectors: an invalid selector is an error, an unmatched one a warning, and a masked title is empty", async () => {
  const wrong = await captures.capture("<p>page", { mask_selectors: "p[".concat("[") });
  assert.deepEqual([wrong.status, wrong.json.code], [400, "invalid_parameters"]);
  const { json } = await captures.capture(`<title>${first}</title><p>page`, {
    mask_selectors: "title\n.missing:is(p",
    response_type: "json",
  });
  assert.equal(json.title, "");
  assert.deepEqual(json.warnings, ['mask_selectors contains ".missing:is(p", which matches nothing']);
});

longTest("mask_selectors: a partial screenshot is masked", async () => {
  const page = (text: string) => `${look}<p class="m">${text}</p><script>onload = () => setInterval(() => document.body.append(document.createElement("p")), 20)</script><img src="/never">`; // biome-ignore format: one line
  captures.site.serve({ "/never": () => {} });
  const take = (text: string) => captures.capture(page(text), { mask_selectors: ".m", on_timeout: "partial", timeout: "8" });
  const [one, other] = await Promise.all([take(first), take(second)]);
  assert.deepEqual([one.status, other.status], [200, 200]);
  assert.equal(readPixels(one.bytes)(5, 5), "#000000");
  assert.equal(readPixels(other.bytes)(5, 5), "#000000");
});

longTest("mask_selectors: selected and highlighted text is covered", async () => {
  const page = (
    text: string,
    isRepeated: boolean,
  ) => `${look}<style>::selection, ::highlight(h), .t::target-text { color: red; -webkit-text-fill-color: red; background: yellow }</style>
    <p class="m">${text}</p><p class="m" id="selected">${text}</p><p class="m" id="highlighted">${text}</p>
    <input class="m" value="${text}" autofocus onfocus="this.select()">
    <iframe srcdoc='${look}<p class="m">${text}</p><script>getSelection().selectAllChildren(document.body)</script>' width="300" height="50"></iframe>
    <script>const range = new Range(); range.selectNodeContents(highlighted); CSS.highlights.set("h", new Highlight(range));
      if (${isRepeated}) setInterval(() => getSelection().selectAllChildren(selected), 5); else document.querySelector("input").select();</script>`;
  for (const isRepeated of [true, ...onlyLong([false])]) {
    const take = (text: string) => captures.capture(page(text, isRepeated), tall);
    const [one, other] = [await take(first), await take(second)];
    assert.equal(one.status, 200);
    assert.ok(Buffer.from(one.bytes).equals(other.bytes), `${isRepeated}`);
  }
});

longTest("mask_selectors: a page that writes its text again doesn't undo the masks", async () => {
  const page = `${look}<div id="live"><p class="m">${first}</p></div><p class="m"><x-again>${first}</x-again></p><p>The end of the page</p><script src="/live.js"></script>`;
  const write = `live.innerHTML = '<p class="m">${first}</p>'`;
  const script = `customElements.define("x-again", class extends HTMLElement { disconnectedCallback() { document.body.append("${first}") } });
    setInterval(() => { ${write} }, 1);
    const draw = () => { ${write}; requestAnimationFrame(draw) }; draw();
    new MutationObserver(() => { if (live.innerHTML.includes("█")) ${write} }).observe(document, { subtree: true, childList: true, characterData: true });`;
  captures.site.serve({ "/live.js": script });
  for (const format of ["text", ...onlyLong(["pdf", "html", "mhtml", "elements"])]) {
    const { status, bytes } = await captures.capture(page, { format, mask_selectors: ".m", wait_until: "load" });
    assert.equal(status, 200);
    const text = await textOf(format, bytes);
    assert.ok(!text.includes(first), format);
    assert.match(text, /end.*of.*the.*page/s);
  }
});

longTest("format=pdf: an element stays covered even if its selector refers to something that is removed", async () => {
  const svg = (text: string) =>
    `data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='200' height='40'><text y='20'>${text}</text></svg>`;
  const page = `${look}<style>[data-x]::before { content: attr(data-x) }</style><div role="img" aria-label="x" style="height:40px;background-image:url(&quot;${svg(first)}&quot;)"></div>
    <p title="x" data-x="${first}">a</p><a href="mailto:x" data-x="${first}">mail</a><p>The end of the page</p>`;
  const { bytes } = await captures.capture(page, { format: "pdf", mask_selectors: '[aria-label]\n[title]\na[href^="mailto:"]' });
  const text = await textOf("pdf", bytes);
  assert.ok(!text.includes(first));
  assert.match(text, /end.*of.*the.*page/s);
});

longTest("mask_selectors: markers, generated content, date fields and closed shadow roots are covered whatever their styles", async () => {
  const page = (
    text: string,
    day: number,
  ) => `${look}<style>input::-webkit-datetime-edit-day-field { -webkit-text-fill-color: red; visibility: visible }
    @layer a { .l::before { content: "${text}"; visibility: visible !important; clip-path: none !important; -webkit-text-fill-color: red !important } }
    .t { margin-left: 200px; list-style-type: "${text}" } .t::marker { color: red !important }</style>
    <input type="date" class="m" value="2020-01-${day}"><p class="m l">a</p><ul><li class="m t">a</ul>
    <ul style="margin-left: 90px"><li class="m" style="list-style-image: url(&quot;data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='80' height='20'><text y='15'>${text}</text></svg>&quot;)">a</ul>
    <div class="m" id="closed"></div><script>closed.attachShadow({ mode: "closed" }).innerHTML = '<p style="visibility: visible; -webkit-text-fill-color: red">${text}</p>'</script>`;
  const [one, other] = [await captures.capture(page(first, 11), tall), await captures.capture(page(second, 28), tall)];
  assert.deepEqual([one.status, one.warnings], [200, null]);
  assert.ok(Buffer.from(one.bytes).equals(other.bytes));
});

/** Ways to draw the text of a masked element in spite of a cover. `svg` is an image of it. */
const drawings: Record<string, (text: string, svg: string) => string> = {
  "a background in the shape of a heading's text": (text) =>
    `<h1 style="font-size: 30px; line-height: 20px; background: linear-gradient(90deg, red, blue); -webkit-background-clip: text; color: transparent">Order of <span class="m">${text}</span></h1>
     <p style="background: red; -webkit-background-clip: text">a <slot-host><span>b</span></slot-host><b class="m"><i>${text}</i></b></p>`,
  "first letters and lines": (text) =>
    `<style>.f::first-letter { background: red; -webkit-background-clip: text; font-size: 40px } .s::first-line { -webkit-text-stroke: 1px red }</style>
     <p class="m f">${text}</p><p class="m s">${text}</p>`,
  "images as content": (_text, svg) =>
    `<div class="m" style="content: url(&quot;${svg}&quot;)">a</div><span class="m" style="content: url(&quot;${svg}&quot;)"></span>`,
  "shapes of masks, clip paths and filters": (text, svg) =>
    `<svg width="0" height="0"><clipPath id="c"><text y="15">${text}</text></clipPath><filter id="f"><feImage href="${svg}"/></filter></svg>
     <div class="m" style="height: 20px; -webkit-mask-image: url(&quot;${svg}&quot;)">a</div><div class="m" style="height: 20px; clip-path: url(#c)">a</div>
     <div class="m" style="height: 20px; filter: url(#f)">a</div><div class="m" style="height: 20px; -webkit-mask-box-image: url(&quot;${svg}&quot;)">a</div>`,
  "images that overflow": (_text, svg) =>
    `<img class="m" src="${svg}" style="overflow: visible; object-fit: none; width: 100px; height: 20px"><img class="m" src="${svg}" style="overflow-clip-margin: 200px; object-fit: none; width: 100px; height: 20px">`,
  "placeholders and buttons in transition": (text) =>
    `<style>.p::placeholder { transition: all 60s; color: red; -webkit-text-fill-color: red; -webkit-text-stroke: 1px red } .p::file-selector-button { transition: all 60s }</style>
     <input class="m p" placeholder="${text}"><textarea class="m p" placeholder="${text}"></textarea>`,
  "pseudo-elements in layers": (text) =>
    `<style>@layer a { .i i::before { content: attr(data-x); visibility: visible !important; clip-path: none !important; color: red !important; -webkit-text-fill-color: red !important }
       .k { -webkit-text-stroke: 1px red !important; text-shadow: 1px 1px red !important } }</style>
     <p class="m i"><i data-x="${text}">a</i></p><p class="m k">${text}</p>`,
  "details and carousels": (text) =>
    `<style>.d::details-content { color: red; -webkit-text-fill-color: red } .r { overflow-x: auto; width: 100px; scroll-marker-group: after }
       .r::scroll-button(*) { content: attr(data-x); -webkit-text-fill-color: red } .r b::scroll-marker, .t::scroll-marker { content: attr(data-x); -webkit-text-fill-color: red }</style>
     <details class="m d" open><summary>${text}</summary>${text}</details><div class="m r" data-x="${text}"><b data-x="${text}" style="display: inline-block; width: 500px">a</b></div>
     <div class="r"><div class="m t" data-x="${text}" style="width: 500px">a</div></div>`,
  "lists of options": (text) =>
    `<select class="m" size="3"><option>${text}</select><select size="3"><optgroup class="m" label="${text}"><option>a</select>
     <style>.b, .b::picker(select) { appearance: base-select }</style><select class="m b"><button><selectedcontent></selectedcontent></button><option>${text}</select>`,
  "popovers, dialogs and their backdrops": (text, svg) =>
    `<div popover id="p" class="m">${text}</div><dialog id="d" class="m"><p>${text}</p></dialog><style>.m::backdrop { background: url("${svg}") }</style>
     <script>d.showModal(); p.showPopover()</script>`,
  "copies in a drawing": (text) =>
    `<svg width="200" height="40"><defs><text id="t" class="m" y="15">${text}</text><g id="g"><text class="m" y="35">${text}</text></g></defs><use href="#t"/><use href="#g" x="90"/>
     <foreignObject class="m" width="90" height="20"><p style="visibility: visible">${text}</p></foreignObject></svg>`,
  "broken images and objects without data": (text) =>
    `<img class="m" alt="${text}" src="data:image/png,"><object class="m">${text}</object><object class="m" data="data:text/html,${text}" width="90" height="30"></object>
     <embed class="m" src="data:text/html,${text}" width="90" height="30">`,
  "formulas, rubies and quotes": (text) =>
    `<math><mi class="m">${text}</mi><mrow class="m"><mi>${text}</mi></mrow></math><ruby class="m">a<rt>${text}</ruby><style>.q { quotes: "${text}" "${text}" }</style><q class="m q">a</q>`,
};

/** Round corners of form controls vary by one level of a color from image to image. */
function lookAlike(one: Uint8Array, other: Uint8Array): boolean {
  const [first, second] = [one, other].map((bytes) => PNG.sync.read(Buffer.from(bytes)).data);
  return first?.length === second?.length && first?.every((value, at) => Math.abs(value - (second?.[at] ?? 0)) <= 2) === true;
}

type Draw = (typeof drawings)[string];

/** In one page, except for those that cover everything else. */
const { "popovers, dialogs and their backdrops": covering = () => "", ...others } = drawings;
const together: [string, Draw][] = [
  ["popovers, dialogs and their backdrops", covering],
  [
    Object.keys(others).join(", "),
    (text, svg) =>
      Object.values(others)
        .map((draw) => draw(text, svg))
        .join(""),
  ],
];

const byChoice = Object.groupBy(Object.entries(others), ([name]) => (name === "copies in a drawing" ? "chosen" : "left"));
for (const [name, draw] of [...(byChoice.chosen ?? []), ...onlyLong([...together, ...(byChoice.left ?? [])])])
  test(`mask_selectors: ${name} can't show what is masked`, async () => {
    const svg = (text: string) => `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="100" height="20"><text y="15">${text}</text></svg>`)}`; // biome-ignore format: one line
    const page = (text: string) => `${look}<p>before</p>${draw(text, svg(text))}<p>after</p>`;
    const { mask_selectors, mask_color, ...plain } = tall;
    const unmasked = await Promise.all([first, second].map((text) => captures.capture(page(text), plain)));
    assert.ok(!Buffer.from(unmasked[0]?.bytes ?? []).equals(unmasked[1]?.bytes ?? new Uint8Array()), "without masks they differ");
    for (const mask of ["solid", "blur"]) {
      const take = (text: string) => captures.capture(page(text), { mask_selectors, full_page: "true", width: "500", height: "300", mask });
      const [one, other] = [await take(first), await take(second)];
      assert.deepEqual([one.status, one.warnings], [200, null]);
      assert.ok(lookAlike(one.bytes, other.bytes), mask);
    }
  });

longTest("mask_selectors: a view transition doesn't show the page as it was before the masks", async () => {
  const page = (
    text: string,
  ) => `${look}<style>::view-transition-group(*), ::view-transition-old(*), ::view-transition-new(*) { animation: none }
    ::view-transition-group(root) { animation: wait 600s } @keyframes wait { to { translate: 0 0 } } ::view-transition-new(root) { display: none }</style>
    <p class="m">${text}</p><p id="more">before</p><script>document.startViewTransition(() => { more.textContent = "after" })</script>`;
  const take = (text: string, more: object = {}) =>
    captures.capture(page(text), { ...tall, disable_animations: "false", wait_until: "load", delay: "1", ...more });
  const [one, other] = [await take(first), await take(second)];
  assert.equal(one.status, 200);
  assert.ok(Buffer.from(one.bytes).equals(other.bytes));
  assert.equal(readPixels(one.bytes)(5, 5), "#ff00aa");
});

longTest("mask_selectors: frames that are loaded while the page is captured are masked as well", async () => {
  const late = (text: string) => {
    const frames = Array.from({ length: 8 }, (_, index) => `<iframe src="/slow-${index}" width="300" height="30"></iframe>`);
    for (const index of frames.keys())
      captures.site.serve({
        [`/slow-${index}`]: (_, response) =>
          void setTimeout(() => response.setHeader("content-type", "text/html").end(`${look}<p class="m">${text}</p>`), 40 * index),
      });
    return `${look}${frames.join("")}<p>The end of the page</p>`;
  };
  for (const format of ["text", ...onlyLong(["pdf", "mhtml", "elements"])]) {
    const taken = await captures.capture(late(first), { format, mask_selectors: ".m", wait_until: "domcontentloaded" });
    assert.equal(taken.status, 200, format);
    assert.ok(!(await textOf(format, taken.bytes)).includes(first), format);
  }
});

/** A page with a frame in a process of its own, whose thread is blocked from `begin` until the site answers `/held`. */
function blockedFrame(begin: string): string {
  const frame = `${look}<p class="m" style="height:100px;background:#00f">${first}</p><script>
    const block = () => { const request = new XMLHttpRequest(); request.open("GET", "/held", false); request.send(); };
    ${begin}</script>`;
  elsewhere.serve({ "/blocked": frame });
  const origin = elsewhere.origin.replace("127.0.0.1", "localhost");
  return `${look}<p class="m">${first}</p><iframe sandbox="allow-scripts" src="${origin}/blocked" style="border:0" width="140" height="100"></iframe>`;
}

longTest("format=png: a frame that blocks its thread for a while is covered", async () => {
  elsewhere.serve({ "/held": (_, response) => void setTimeout(() => response.end(), 3_000) });
  const page = blockedFrame("onload = () => setTimeout(block)");
  const { status, bytes } = await captures.capture(page, { ...tall, wait_until: "load", full_page_scroll: "false" });
  assert.deepEqual([status, readPixels(bytes)(50, 60)], [200, "#ff00aa"]);
});

longTest(
  "mask_selectors: frames that are more than can be masked after an image are newly covered as a whole, with a warning",
  async () => {
    captures.site.serve({ "/grows": `${look}<p class="m">${first}</p>` });
    const request = { account: "test", signal: AbortSignal.timeout(60_000), deadlineAt: performance.now() + 60_000 };
    await captures.service.services.slots.withTab(request, async (tab) => {
      const loaded = tab.once("Page.loadEventFired");
      await tab.send("Page.navigate", { url: `${captures.site.origin}/grows` });
      await loaded;
      const warnings = new Set<string>();
      const work = { tab, shot: {} as Work["shot"], warn: (message: string) => void warnings.add(message) };
      const apply = async (isRepeated: boolean) => await applyMasks(work, { mask_selectors: [".m"], mask: "solid" }, isRepeated);
      assert.deepEqual(await apply(false), { isNew: true, isComplete: true });
      assert.deepEqual(await apply(true), { isNew: false, isComplete: true });
      await tab.evaluate(() => {
        for (let count = 0; count <= 300; count += 1) document.body.append(document.createElement("iframe"));
      });
      assert.deepEqual(await apply(true), { isNew: true, isComplete: false });
      assert.deepEqual(await apply(true), { isNew: false, isComplete: false });
      assert.deepEqual([...warnings], ["frames that did not respond were masked as a whole"]);
    });
  },
);

test("documents contain no masked text in templates, labels, captions and headings", async () => {
  const page = `${look}<h1>Order of <b class="m">${first}</b></h1><template><p class="m">${first}</p><template><p class="m">${first}</p></template></template>
    <label class="m" for="x">${first}</label><input id="x"> <label>a <span class="m">${first}</span><input></label>
    <figure><img width="20" height="20" src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>"><figcaption class="m">${first}</figcaption></figure>
    <table><caption class="m">${first}</caption><tr><td>cell</table><fieldset><legend class="m">${first}</legend><input></fieldset>
    <a href="#y"><span class="m" title="${first}">${first}</span> a link</a><div id="y" role="img" aria-labelledby="l"></div><span id="l" class="m">${first}</span>
    <svg width="9" height="9" role="img"><title class="m">${first}</title><desc class="m">${first}</desc><rect width="9" height="9"/></svg><p>The end of the page</p>`;
  for (const [format, more] of [
    ["html", {}],
    ["text", {}],
    ["pdf", { pdf_outline: "true" }],
    ["mhtml", {}],
    ["elements", { match_selectors: "body\nh1\nlabel\nfigure\ntable" }],
    ...onlyLong([
      ["markdown", {}],
      ["metadata", {}],
      ["elements", {}],
    ] as const),
  ] as const) {
    const { status, bytes } = await captures.capture(page, { format, ...more, mask_selectors: ".m" });
    assert.equal(status, 200, Buffer.from(bytes).toString().slice(0, 300));
    const text = await textOf(format, bytes);
    assert.equal(text.indexOf(first), -1, `${format}: ${text.slice(Math.max(0, text.indexOf(first) - 300), text.indexOf(first) + 40)}`);
  }
});

test("with masks, errors and explanations quote no console message and no address of a request", async () => {
  const page = `${look}<p class="m">${first}</p><script>console.error("user ${first}")</script><img src="/missing/${first}">`;
  const masked = { mask_selectors: ".m" };
  const logged = await captures.capture(page, { ...masked, fail_on_console_error: "true" });
  assert.match(logged.json.error ?? "", /its console contains an error \(fail_on_console_error\)/);
  const failed = await captures.capture(page, { ...masked, fail_on_failed_request: "*/missing/*" });
  assert.match(failed.json.error ?? "", /a request that matches \*\/missing\/\* failed with status 404 \(fail_on_failed_request\)/);
  const explained = await captures.capture(page, { ...masked, explain: "true", response_type: "json" });
  assert.equal(explained.status, 200);
  for (const { json } of [logged, failed, explained]) assert.ok(!JSON.stringify(json).includes(first), JSON.stringify(json));
});
