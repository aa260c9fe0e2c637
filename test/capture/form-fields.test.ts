/** Forms whose fields are named like members of elements: `<form><input name="style">` makes `form.style` the field. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Capture } from "../../src/capture/request.ts";
import { differingShare } from "../support/image.ts";
import { longOnly } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { createSite } from "../support/site.ts";
import { captureOf, startOutputs } from "./several-outputs.ts";

const longTest = longOnly(test);
const scope = fileScope();
const site = await createSite(scope);
const { take, single } = await startOutputs(scope, site.host);

/** Gives each form a hidden field per member of a form, or those whose index modulo `of` is `part`. Harmless names begin with `prefix`. */
function addFields(prefix: string, part: number, of: number): void {
  const members = new Set<string>();
  for (let one: object | null = HTMLFormElement.prototype; one; one = Object.getPrototypeOf(one))
    for (const name of Object.getOwnPropertyNames(one)) members.add(name);
  const names = [...members].filter((_, index) => index % of === part);
  const visit = (root: Document | ShadowRoot) => {
    for (const element of root.querySelectorAll("*")) if (element.shadowRoot) visit(element.shadowRoot);
    for (const form of root.querySelectorAll("form"))
      Element.prototype.append.call(
        form,
        ...names.map((name) => Object.assign(document.createElement("input"), { type: "hidden", name: prefix + name })),
      );
  };
  visit(document);
}

const striped = "repeating-linear-gradient(45deg, gold 0 20px, tomato 20px 40px)";
const pages = {
  "a document": `<style>body { margin: 0; font: 16px/24px sans-serif } form { padding: 8px } .tall { height: 400px; background: #cde }</style>
    <form style="position:sticky;top:0;background:#efe">Header</form>
    <form style="background:${striped} fixed;height:120px">Background</form>
    <form style="background:linear-gradient(red,blue);background-clip:text;color:transparent"><p class="masked">Clipped secret</p></form>
    <form class="masked" style="text-decoration:underline">Masked <b>secret</b></form>
    <form style="text-decoration:underline" data-held="1"><div class="masked">Another secret</div></form>
    <form style="opacity:.8;clip-path:inset(0 20px)"><p>Clipped</p></form>
    <div style="clip-path:inset(0);height:100px"><form style="position:fixed;inset:0;background:${striped}"></form></div>
    <form class="hidden">Hidden</form>
    <form style="overflow:auto;height:60px;width:300px"><div style="height:200px;width:500px">Scrolled</div></form>
    <form style="position:sticky;bottom:0;background:#fee">Footer</form>
    <form><table><tr><td>Cell<td>Cell</table><pre>const code = 1;</pre><p>Text</p><math><mi>x</mi></math><svg width="20" height="20"><rect width="20" height="20"/></svg></form>
    <x-host><form slot="part">Slotted <i class="masked">secret</i></form></x-host>
    <form style="content-visibility:auto;height:80px">Skipped</form>
    <form id="stepping"><button type="button" id="go" onclick="this.style.background='lime'">Go</button><input id="text"></form>
    <div class="tall"></div><form class="reveal" style="opacity:0;transition:opacity .1s;height:100px;background:orange">Revealed</form>
    <div class="tall"></div><form class="reveal" style="visibility:hidden"><p style="height:100px;background:orange">Revealed</p></form>
    <div class="tall"></div><form style="position:fixed;right:0;bottom:0;background:#eef">Fixed</form>
    <form style="position:fixed;inset:0;z-index:-1;background:linear-gradient(#fff,#ddf)"></form>
    <script>
      for (const host of document.querySelectorAll("x-host"))
        host.attachShadow({ mode: "open" }).innerHTML = '<form style="background:#eff">In a shadow root <slot name="part"></slot></form>';
      const shown = new IntersectionObserver((all) => {
        for (const { target, isIntersecting } of all)
          if (isIntersecting) Element.prototype.setAttribute.call(target, "style", "opacity:1;height:100px;background:orange");
      });
      for (const one of document.querySelectorAll(".reveal")) shown.observe(one);
      addEventListener("scroll", () => {
        const first = document.querySelector("form");
        Element.prototype.toggleAttribute.call(first, "data-scrolled", scrollY > 10);
      });
    </script>`,
  "a scrolling form": `<style>html, body { height: 100%; margin: 0; font: 16px/24px sans-serif } p { height: 300px; background: ${striped} }</style>
    <div style="height:100%"><form style="height:100%;overflow:auto">${"<p>Text</p><pre>code</pre>".repeat(6)}</form></div>
    <script>document.title = "t"</script>`,
};

const outputs = [
  { format: "png" },
  { format: "png", full_page: true },
  { format: "png", full_page: true, mask_selectors: [".masked"], hide_selectors: [".hidden"] },
  { format: "pdf" },
  { format: "html" },
  { format: "markdown" },
  { format: "text", mask_selectors: [".masked"] },
];
const steps = [{ click: "#go" }, { type: "#text", text: "typed" }, { scroll: "#stepping" }];

const isImage = ({ bytes }: Capture) => bytes[0] === 0x89;
const textOf = ({ bytes }: Capture) => Buffer.from(bytes).toString().replaceAll("harmless-", "");

/** Even two captures of one page may differ at the edges of stripes. */
const shareMax = 0.001;

/** Fails if a capture of the page differs from the same capture of the page with harmless names. */
function assertSame(one: Capture, other: Capture, what: string): void {
  if (isImage(one)) assert.ok(differingShare(one.bytes, other.bytes) < shareMax, what);
  else if (textOf(one).startsWith("%PDF")) assert.equal(one.bytes.length, other.bytes.length, what);
  else assert.equal(textOf(one), textOf(other), what);
}

function addressOf(page: string, prefix: string, part: number, of: number): string {
  const path = `/${page.replaceAll(" ", "-")}-${prefix}${part}-of-${of}`;
  const html = `<!doctype html>${pages[page as keyof typeof pages]}<script>(${addFields})("${prefix}", ${part}, ${of})</script>`;
  site.serve({ [path]: html });
  return `${site.origin}${path}`;
}

const parts = [[0, 1], ...[0, 1, 2, 3, 4, 5, 6, 7].map((part) => [part, 8])] as [number, number][];
for (const page of Object.keys(pages))
  for (const [part, of] of parts)
    (of === 1 ? test : longTest)(
      `${page} with fields named like members of forms is captured as with other names: ${part + 1} of ${of}`,
      async () => {
        const [shadowed, harmless] = ["", "harmless-"].map((prefix) => addressOf(page, prefix, part, of));
        const [own, others] = await Promise.all([take({ url: shadowed }, outputs), take({ url: harmless }, outputs)]);
        for (const [index, output] of outputs.entries())
          assertSame(captureOf(own.outcomes[index]), captureOf(others.outcomes[index]), JSON.stringify(output));
        assert.equal(own.loads, others.loads);
        if (page === "a document") assertSame(await single({ url: shadowed, steps }), await single({ url: harmless, steps }), "steps");
      },
    );
