/** Measures what a page contains in `data:` URLs. Runs in the page, so it must be self-contained. */

/**
 * Number of characters of `data:` URLs and style sheets in the document and its same-origin frames. Chromium's list of a page's resources
 * contains all of them.
 */
export function inlineCharacters(): number {
  const framesMax = 100;
  let characters = 0;
  const documents = [document];
  for (const one of documents) {
    for (const element of Document.prototype.querySelectorAll.call(one, "[src^='data:'], [href^='data:'], [poster^='data:'], style")) {
      const named = ["src", "href", "poster"].map((name) => Element.prototype.getAttribute.call(element, name)?.length ?? 0);
      const isStyle = Reflect.get(Element.prototype, "localName", element) === "style";
      characters += isStyle ? (Reflect.get(Node.prototype, "textContent", element)?.length ?? 0) : Math.max(...named);
    }
    for (const frame of Document.prototype.querySelectorAll.call(one, "iframe")) {
      const inner: Document | null = Reflect.get(frame, "contentDocument", frame);
      if (inner && documents.length < framesMax) documents.push(inner);
    }
  }
  return characters;
}
