/** Texts that are too long for one message. They are kept in the isolated world, which the page's scripts can't reach. */

declare global {
  /** The text that was put together last. */
  var tintypeText: string | Uint8Array | undefined;
  /** The element found last with `keep`. */
  var tintypeElement: Element | undefined;
  /** Chromium has it, TypeScript's libraries don't yet. */
  interface Uint8Array {
    toBase64(): string;
  }
}

/** A part of the kept text in UTF-8, with the length of the whole in bytes; undefined if none is kept. */
export function encodedPart(start: number, bytes: number): { base64: string; length: number } | undefined {
  const kept = globalThis.tintypeText;
  if (kept === undefined) return undefined;
  const text = typeof kept === "string" ? new TextEncoder().encode(kept) : kept;
  const isLast = start + bytes >= text.length;
  globalThis.tintypeText = isLast ? undefined : text;
  return { base64: text.subarray(start, start + bytes).toBase64(), length: text.length };
}
