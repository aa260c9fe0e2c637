/** Holds text that is too long for one message, in the isolated world, which the page's scripts can't reach. */

declare global {
  /** The text assembled most recently. */
  var tintypeText: string | Uint8Array | undefined;
  /** The element that `findElement` found most recently with `keep`. */
  var tintypeElement: Element | undefined;
  /** Masked elements and everything they contain, once their content is hidden. */
  var tintypeMasked: WeakSet<Element> | undefined;
  /** Declared in TypeScript's `esnext.typedarrays`, which isn't among the configured libs. */
  interface Uint8Array {
    toBase64(): string;
  }
}

/**
 * Returns a part of the kept text in UTF-8, with the total length in bytes; undefined if there is no text. Reading the last part clears the
 * text.
 */
export function encodedPart(start: number, bytes: number): { base64: string; length: number } | undefined {
  const kept = globalThis.tintypeText;
  if (kept === undefined) return undefined;
  const text = typeof kept === "string" ? new TextEncoder().encode(kept) : kept;
  const isLast = start + bytes >= text.length;
  globalThis.tintypeText = isLast ? undefined : text;
  return { base64: text.subarray(start, start + bytes).toBase64(), length: text.length };
}
