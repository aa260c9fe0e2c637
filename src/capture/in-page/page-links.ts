/** Reads the links of a page. Runs in the page, so it must be self-contained. */

/** @param max limits on the number of addresses, their individual and total length in characters, and the number of elements searched. */
export function pageLinks(max: { addresses: number; addressLength: number; length: number; elements: number }) {
  const addressMax = 10_000;
  const absolute = (href: string | null) => {
    const url = href !== null && href.length <= max.addressLength ? URL.parse(href.trim(), document.baseURI) : null;
    return url && url.href.length <= addressMax ? url : null; // with a long base URL, even a short reference makes a long URL
  };
  const meta = document.querySelector<HTMLMetaElement>('meta[name="robots" i], meta[name="tintype" i]');
  const isNofollow = /\b(nofollow|none)\b/i.test((meta?.getAttribute("content") ?? "").slice(0, 500));
  const canonical = absolute(document.querySelector<HTMLLinkElement>('link[rel~="canonical" i][href]')?.getAttribute("href") ?? null);
  /** Addresses without fragments, and whether every link to each is `nofollow`. */
  const found = new Map<string, boolean>();
  let [left, searched, omitted] = [max.length, 0, 0];
  const add = (link: Element) => {
    const url = absolute(Element.prototype.getAttribute.call(link, "href"));
    if (url?.protocol !== "http:" && url?.protocol !== "https:") return;
    url.hash = "";
    const isUnwanted = /\bnofollow\b/i.test((Element.prototype.getAttribute.call(link, "rel") ?? "").slice(0, 200));
    const before = found.get(url.href);
    if (before !== undefined) return void found.set(url.href, before && isUnwanted);
    if (found.size === max.addresses || url.href.length > left) {
      omitted += 1;
      return;
    }
    left -= url.href.length;
    found.set(url.href, isUnwanted);
  };
  const search = (root: Document | ShadowRoot) => {
    for (const element of root.querySelectorAll("*")) {
      searched += 1;
      if (searched > max.elements) return;
      if (element instanceof HTMLAnchorElement || element instanceof HTMLAreaElement) add(element);
      if (element.shadowRoot?.mode) search(element.shadowRoot); // a form field may shadow `shadowRoot`
    }
  };
  search(document);
  const addresses = [...found].map(([address, isUnwanted]) => ({ address, isNofollow: isNofollow || isUnwanted }));
  return { url: location.href.slice(0, addressMax), canonical: canonical?.href ?? null, addresses, omitted };
}
