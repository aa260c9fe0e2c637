/** What a page can send to the service in one message: functions that run in the page bound the number and length of what they return. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tab } from "../../src/browser/tab.ts";
import { contentBoxes } from "../../src/capture/in-page/content-boxes.ts";
import { documentFacts } from "../../src/capture/in-page/document-facts.ts";
import { createSelectors, elementTree } from "../../src/capture/in-page/element-tree.ts";
import { foreignFrames } from "../../src/capture/in-page/foreign-frames.ts";
import { formulaReader } from "../../src/capture/in-page/formulas.ts";
import { apply, seen } from "../../src/capture/in-page/hide.ts";
import { collectMetadata, structuredData } from "../../src/capture/in-page/metadata.ts";
import { keepElements, shownElements } from "../../src/capture/in-page/page-elements.ts";
import { pageLinks } from "../../src/capture/in-page/page-links.ts";
import { pageSignals } from "../../src/capture/in-page/page-signals.ts";
import { settle } from "../../src/capture/in-page/settle.ts";
import { fileScope } from "../support/scope.ts";
import { createSite } from "../support/site.ts";
import { consentPage, consentPages } from "./consent-pages.ts";
import { startOutputs } from "./several-outputs.ts";

const scope = fileScope();
const site = await createSite(scope);
const { services, through } = await startOutputs(scope, site.host);

/** Opens a page that `script` fills. */
async function onPage<T>(script: string, use: (tab: Tab) => Promise<T>, query = ""): Promise<T> {
  site.serve({ [`/filled${query}`]: `<!doctype html><body><script>${script}</script>`, "/late.png": () => {} });
  const request = { account: "test", signal: AbortSignal.timeout(60_000), deadlineAt: performance.now() + 60_000 };
  return await services.slots.withTab(request, async (tab) => {
    const loaded = tab.once("Page.loadEventFired");
    await tab.send("Page.navigate", { url: `${site.origin}/filled${query}` });
    await loaded;
    return await use(tab);
  });
}

const lengthOf = (value: unknown) => JSON.stringify(value).length;
/** Length of the text that a function has kept in the page. */
const keptLength = (tab: Tab) => tab.evaluate(() => String(globalThis.tintypeText).length);
const append = (type: string, members: string) => `document.body.append(Object.assign(document.createElement("${type}"), ${members}));`;

for (const [what, node] of Object.entries({
  "a list of 250,000 types": '{ "@type": Array.from({ length: 250_000 }, (_, at) => "T".repeat(90) + at) }',
  "types in many nodes": 'Array.from({ length: 90 }, (_, at) => ({ "@type": Array.from({ length: 90 }, (_, i) => at + " " + i) }))',
}))
  test(`structured data: ${what}`, async () => {
    const data = await onPage(append("script", `{ type: "application/ld+json", text: JSON.stringify(${node}) }`), (tab) =>
      tab.evaluate(structuredData),
    );
    assert.ok(data.types.length <= 100, `${data.types.length} types`);
    assert.ok(lengthOf(data) < 20_000, `${lengthOf(data)} characters`);
  });

test("metadata: names, relations and addresses are as short as texts", async () => {
  const filled = `document.head.append(Object.assign(document.createElement("base"), { href: "/" + "b".repeat(1e6) + "/" }));
    for (let at = 0; at < 50; at += 1) {
      const meta = document.createElement("meta");
      meta.setAttribute("property", "og:" + at + "n".repeat(1e5));
      meta.content = "x".repeat(1e5);
      document.head.append(meta);
    }
    document.head.append(Object.assign(document.createElement("link"), { rel: "canonical", href: "x" }));
    ${`document.head.append(Object.assign(document.createElement("link"), { rel: "icon " + "r".repeat(1e6), href: "data:," }));`}`;
  const length = await onPage(filled, async (tab) => {
    await tab.evaluate(collectMetadata, 200, { types: [], author: null, published: null });
    return await keptLength(tab);
  });
  assert.ok(length < 200_000, `${length} characters`);
});

test("a page's address, which may have two million characters", async () => {
  const long = `history.replaceState(null, "", "#" + "a".repeat(1_500_000)); document.title = "t";`;
  const [facts, names, links] = await onPage(long, async (tab) => [
    lengthOf(await tab.evaluate(documentFacts)),
    lengthOf(await tab.evaluate(seen, 5_000)),
    lengthOf(await tab.evaluate(pageLinks, { addresses: 10, addressLength: 100, length: 1_000, elements: 1_000 })),
  ]);
  for (const length of [facts, names, links]) assert.ok((length ?? 0) < 50_000, `${length} characters`);
});

test("names in a page with a form whose fields are named like its own members", async () => {
  const long = "n".repeat(400);
  const filled = `document.body.innerHTML = '<form id="form"><input name="id"><input name="classList"></form>';
    for (let at = 0; at < 5_000; at += 1) ${append("a", `{ id: "i" + at + "${long}", className: "c" + at + "${long}", href: "/" + at + "${long}" }`)}`;
  const names = await onPage(filled, (tab) => tab.evaluate(seen, 5_000));
  assert.ok(names?.ids.includes("form"));
  assert.ok(lengthOf(names) < 600_000, `${lengthOf(names)} characters`);
});

test("links: a canonical address is as short as the others, also with a long base", async () => {
  const filled = `document.head.append(Object.assign(document.createElement("base"), { href: "/" + "b".repeat(1e6) + "/" }));
    document.head.append(Object.assign(document.createElement("link"), { rel: "canonical", href: "x" }));`;
  const links = await onPage(filled, (tab) => tab.evaluate(pageLinks, { addresses: 10, addressLength: 100, length: 1_000, elements: 100 }));
  assert.ok(lengthOf(links) < 20_000, `${lengthOf(links)} characters`);
});

test("images that are still loading outside the viewport", async () => {
  const filled = `document.body.style.paddingTop = "5000px";
    for (let at = 0; at < 5_000; at += 1) ${append("img", '{ loading: "lazy", src: "/late.png?" + at + "q".repeat(1_000) }')}`;
  const { elsewhere } = await onPage(filled, (tab) => tab.waitFor(settle));
  assert.ok(elsewhere.length > 0 && elsewhere.length <= 2_000, `${elsewhere.length} images`);
  assert.ok(lengthOf(elsewhere) < 600_000, `${lengthOf(elsewhere)} characters`);
});

test("signals: lines of a main part outside the body", async () => {
  const filled = `${append("p", '{ textContent: "short" }')}
    const main = document.createElement("main");
    for (let at = 0; at < 300; at += 1) main.append(Object.assign(document.createElement("p"), { textContent: "x".repeat(10_000) }));
    document.documentElement.append(main);`;
  const signals = await onPage(filled, (tab) => tab.evaluate(pageSignals));
  assert.equal(signals.text, "short");
  assert.ok(lengthOf(signals) < 50_000, `${lengthOf(signals)} characters`);
});

test("boxes of foreign frames and of content", async () => {
  const filled = `document.body.style.paddingTop = "5000px";
    ${append("div", `{ innerHTML: '<object style="display:inline-block;width:5px;height:5px"></object>'.repeat(3_000) }`)}
    ${append("pre", '{ textContent: "x\\\\n".repeat(90_000) }')}`;
  const [{ frames }, boxes] = await onPage(
    filled,
    async (tab) => [await tab.evaluate(foreignFrames), await tab.evaluate(contentBoxes)] as const,
  );
  assert.ok(frames.length > 0 && frames.length <= 1_000, `${frames.length} frames`);
  assert.ok(lengthOf(frames) < 200_000, `${lengthOf(frames)} characters`);
  assert.ok(lengthOf(boxes) < 2_000_000, `${lengthOf(boxes)} characters`);
});

test("elements: names, classes and addresses", async () => {
  const long = "n".repeat(1e5);
  const filled = `for (let at = 0; at < 20; at += 1)
    ${append("a", `{ id: "i" + "${long}", className: "c" + "${long}", href: "/" + "${long}", textContent: "x" }`)}
    ${append("img", `{ alt: "${long}", src: "data:," }`)}`;
  const axe = { setup: "() => {}", teardown: "() => {}" };
  const script = `(frame) => (${keepElements})((${shownElements})(frame), { setup: ${axe.setup}, teardown: ${axe.teardown} }, frame,
    (elements, place) => (${elementTree})(elements, place, (${createSelectors})()))`;
  const length = await onPage(filled, async (tab) => {
    await tab.evaluateSource(script, { clip: null, scale: 1, elementsMax: 5_000 });
    return await keptLength(tab);
  });
  assert.ok(length < 200_000, `${length} characters`);
});

test("formulas: each part of a nested formula is read once", async () => {
  const filled = `let inner = "<mi>xy</mi>";
    for (let level = 0; level < 9; level += 1) inner = "<msup><mrow>" + inner + "</mrow><mi>y</mi></msup>";
    document.body.innerHTML = "<math>" + inner + "</math>";`;
  const counted = `() => {
    const { get } = Object.getOwnPropertyDescriptor(Element.prototype, "children");
    let reads = 0;
    Object.defineProperty(Element.prototype, "children", { get() { reads += 1; return get.call(this); } });
    const { tex } = (${formulaReader})()(document.querySelector("math"));
    return { tex, reads, elements: document.querySelectorAll("math, math *").length };
  }`;
  const { tex, reads, elements } = (await onPage(filled, (tab) => tab.evaluateSource(counted))) as Record<string, string | number>;
  assert.match(String(tex), /^\{{9}\\mathrm\{xy\}\}\^\{y\}/);
  assert.ok(Number(reads) <= Number(elements), `${reads} reads of ${elements} elements`);
});

/** Captures a page of the site. @returns the length of the longest answer to an expression that was evaluated in the page. */
async function longestAnswer(path: string, options: Record<string, unknown>): Promise<number> {
  const answers: number[] = [];
  const { single } = through((tab) => ({
    ...tab,
    send: async (method, ...given) => {
      const answer = await tab.send(method, ...given);
      if (method === "Runtime.evaluate") answers.push(lengthOf(answer));
      return answer;
    },
  }));
  await single({ url: site.origin + path, ...options });
  assert.ok(answers.length > 0);
  return Math.max(...answers);
}

test("the consent engine's questions to a page are answered with truth values, whatever the page replaces", async () => {
  const asked = consentPages.find(({ platform }) => platform === "Cookiebot, through its API");
  assert.ok(asked);
  const script = `${asked.script ?? ""}; Array.prototype.join = Array.prototype.toString = () => "x".repeat(5e6);`;
  site.serve({ "/consent": consentPage({ ...asked, script }) });
  const length = await longestAnswer("/consent", { block_cookie_banners: true });
  assert.ok(length < 10_000, `${length} characters`);
});

test("scripts: the value of the last statement stays in the page", async () => {
  site.serve({ "/scripts": "<!doctype html><p>before" });
  const scripts = 'document.querySelector("p").textContent = "after"; await 1; "x".repeat(5e6) // the end';
  const length = await longestAnswer("/scripts", { scripts });
  assert.ok(length < 10_000, `${length} characters`);
  const { bytes } = await through((tab) => tab).single({ url: `${site.origin}/scripts`, scripts, format: "text" });
  assert.equal(Buffer.from(bytes).toString(), "after");
});

test("rules that arrive in the next document aren't applied to it, and its own names are still read", async () => {
  const sawAndShown = await onPage(append("p", '{ className: "wall" }'), async (tab) => {
    await tab.evaluate(apply, {
      rules: [{ selectors: [".wall"], style: "display: none !important" }],
      ...{ everywhere: [], sources: [], banners: [], unlock: false },
    });
    const shown = await tab.evaluate(() => getComputedStyle(document.querySelector(".wall") as Element).display);
    return [shown, (await tab.evaluate(seen, 10))?.classes];
  });
  assert.deepEqual(sawAndShown, ["block", ["wall"]]);
});
