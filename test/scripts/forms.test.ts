/** `npm run check` finds members of elements that a form's fields may shadow. */

import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { formProblems } from "../../scripts/forms.ts";

const root = await mkdtemp(join(tmpdir(), "forms-"));
after(() => rm(root, { recursive: true }));

/** Names of the members that are reported in the code of a function with the parameters `element` and `image`. */
async function foundIn(code: string): Promise<string[]> {
  await mkdir(join(root, "src/capture"), { recursive: true });
  await writeFile(join(root, "src/capture/one.ts"), `export function read(element: Element, image: HTMLImageElement) {\n${code}\n}`);
  return formProblems(root).map((problem) => /`(.+)`$/.exec(problem)?.[1] ?? problem);
}

test("members that are read from an element that may be a form are reported", async () => {
  const code = `for (let above: Element | null = element; above; above = above.parentElement) element.removeAttribute("style");
    const { scrollTop } = document.querySelector("p, form") ?? element;
    (element as HTMLElement).style.color = "red";
    const { offsetWidth } = element as Partial<HTMLElement>;
    for (const { shadowRoot } of document.querySelectorAll("*")) if (shadowRoot) shadowRoot.append("");`;
  assert.deepEqual(await foundIn(code), ["parentElement", "removeAttribute", "scrollTop", "style", "offsetWidth", "shadowRoot"]);
});

test("members of prototypes, of other elements and of the document's own are not reported", async () => {
  const code = `Element.prototype.removeAttribute.call(element, "style");
    const above: Element | null = Reflect.get(Node.prototype, "parentElement", element);
    const style = element instanceof HTMLFormElement ? Reflect.get(HTMLElement.prototype, "style", element) : (element as HTMLElement).style;
    if (element.shadowRoot?.mode) element.shadowRoot.append("");
    return [above, style, image.alt, image.parentElement, document.body.clientWidth, document.querySelector("table")?.rows];`;
  assert.deepEqual(await foundIn(code), []);
});
