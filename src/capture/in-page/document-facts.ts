/** Reads what the capture has to know about the document. */

export function documentFacts() {
  const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  const image = document.contentType.startsWith("image/") ? document.images[0] : undefined;
  return {
    /** HTTP status, 0 if unknown. */
    status: entry?.responseStatus ?? 0,
    url: location.href,
    title: document.title.slice(0, 1000),
    empty: document.documentElement === null,
    begins: document.readyState === "loading",
    hadNoWebgl: "hadNoWebgl" in globalThis, // set by the browser's slot, on behalf of a canvas in the document
    /** Content type of a document that is an image and can't be decoded. */
    broken: image?.complete && image.naturalWidth === 0 ? document.contentType : undefined,
  };
}
