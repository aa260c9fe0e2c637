/** Reads the metadata of a page. Runs in the page, so it must be self-contained. */

interface StructuredData {
  /** Values of `@type`. */
  types: string[];
  author: string | null;
  published: string | null;
}

/** Reads the page's JSON-LD. */
export function structuredData(): StructuredData {
  const [typesMax, listMax, typeMax] = [100, 100, 100];
  const types = new Set<string>();
  /** The start of a list, or a single value as a list. Doesn't flatten nested lists, which JSON-LD doesn't allow here. */
  const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, listMax) : [value]);
  let author: string | null = null;
  let published: string | null = null;
  const visit = (node: unknown, depth: number): void => {
    if (depth > 6 || typeof node !== "object" || node === null || types.size >= typesMax) return;
    if (Array.isArray(node)) {
      for (const one of node.slice(0, listMax)) visit(one, depth + 1);
      return;
    }
    const { "@type": type, author: by, datePublished, "@graph": graph } = node as Record<string, unknown>;
    for (const one of listed(type)) if (typeof one === "string" && types.size < typesMax) types.add(one.slice(0, typeMax));
    const [writer] = listed(by);
    const name = typeof writer === "object" && writer !== null ? (writer as { name?: unknown }).name : writer;
    if (typeof name === "string") author ??= name.slice(0, 2_000).trim().slice(0, 1_000);
    if (typeof datePublished === "string") published ??= datePublished.slice(0, 1_000).trim().slice(0, 100);
    visit(graph, depth + 1);
  };
  for (const script of [...document.querySelectorAll<HTMLScriptElement>('script[type="application/ld+json"]')].slice(0, 50))
    try {
      visit(JSON.parse(script.textContent ?? ""), 0);
    } catch {
      // invalid JSON is ignored
    }
  return { types: [...types], author, published };
}

/** Stores the page's metadata in `tintypeText` as JSON. Metadata missing from the page is null, or an empty list or object. */
export function collectMetadata(status: number | null, { types, author, published }: StructuredData): void {
  const text = (value: string | null | undefined) => value?.slice(0, 20_000).replace(/\s+/g, " ").trim().slice(0, 2_000) || null;
  const addressMax = 10_000;
  const address = (value: string | null | undefined) => {
    const href = value && value.length <= addressMax ? URL.parse(value.trim(), document.baseURI)?.href : undefined;
    return href !== undefined && href.length <= addressMax ? href : null; // with a long base URL, even a short reference makes a long URL
  };
  const metas = [...document.querySelectorAll("meta")].slice(0, 1_000).map((meta) => ({
    name: (meta.getAttribute("property") ?? meta.getAttribute("name") ?? meta.getAttribute("itemprop") ?? "").slice(0, 200).toLowerCase(),
    content: text(meta.content),
  }));
  const meta = (...names: string[]) => {
    for (const name of names) for (const one of metas) if (one.name === name && one.content) return one.content;
    return null;
  };
  const group = (prefix: string) =>
    Object.fromEntries(
      metas.flatMap(({ name, content }) => (name.startsWith(prefix) && content ? [[name.slice(prefix.length), content]] : [])).reverse(),
    );
  const links = (rel: RegExp) =>
    [...document.querySelectorAll<HTMLLinkElement>("link[rel][href]")]
      .filter(({ rel: own, href }) => own.length <= 200 && rel.test(own) && href.length <= addressMax)
      .slice(0, 100);

  globalThis.tintypeText = JSON.stringify({
    url: location.href.slice(0, addressMax),
    status,
    title: text(document.title),
    description: meta("description", "og:description", "twitter:description"),
    canonical: address(links(/^canonical$/i)[0]?.href),
    language: text(document.documentElement.lang) ?? meta("og:locale", "language"),
    author: meta("author", "article:author") ?? author,
    published:
      meta("article:published_time", "datepublished", "date", "dc.date") ??
      published ??
      text(document.querySelector<HTMLTimeElement>("time[datetime]")?.getAttribute("datetime")),
    site_name: meta("og:site_name", "application-name"),
    image: address(meta("og:image", "og:image:url", "twitter:image")),
    theme_color: meta("theme-color"),
    open_graph: group("og:"),
    twitter: group("twitter:"),
    icons: links(/(^|\s)(icon|apple-touch-icon|mask-icon)(-precomposed)?(\s|$)/i).map((link) => ({
      url: link.href,
      rel: link.rel,
      sizes: text(link.getAttribute("sizes")),
      type: text(link.type),
    })),
    feeds: links(/(^|\s)alternate(\s|$)/i)
      .filter(({ type }) => /^application\/(rss\+xml|atom\+xml|feed\+json|json)$/i.test(type))
      .map((link) => ({ url: link.href, title: text(link.title), type: link.type })),
    json_ld_types: types,
  });
}
