/** Reads facts about the document. Runs in the page, so it must be self-contained. */

export function documentFacts() {
  const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  const image = document.contentType.startsWith("image/") ? document.images[0] : undefined;
  return {
    /** HTTP status, 0 if unknown. */
    status: entry?.responseStatus ?? 0,
    url: location.href.slice(0, 10_000),
    title: document.title.slice(0, 1000),
    isEmpty: document.documentElement === null,
    isLoading: document.readyState === "loading",
    /** Whether this is Chromium's own error page, shown when a page can't be reached. */
    isErrorPage: location.protocol === "chrome-error:",
    hadNoWebgl: "hadNoWebgl" in globalThis.tintypeOwn, // set by browser/document-start.ts
    /** Content type of an image document that can't be decoded; otherwise undefined. */
    undecodable: image?.complete && image.naturalWidth === 0 ? document.contentType.slice(0, 200) : undefined,
  };
}
