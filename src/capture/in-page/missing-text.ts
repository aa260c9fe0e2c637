/** Compares the Markdown of a page with its text. Runs in the page, so it must be self-contained. */

/**
 * Share of the visible text, 0 to 1, that is missing from the kept Markdown, not counting `around`. The Markdown remains kept.
 * @param collectText keeps the visible text.
 */
export function missingText(around: string, collectText: () => void): number {
  const charactersMax = 2_000_000;
  const markdown = globalThis.tintypeText;
  collectText();
  const text = globalThis.tintypeText;
  globalThis.tintypeText = markdown;
  if (typeof markdown !== "string" || typeof text !== "string") return 0;
  // Numbers and symbols are ignored: formulas are written differently, and lines of code may be numbered.
  const wordsOf = (from: string) => from.slice(0, charactersMax).match(/\p{L}{3,}/gu) ?? [];
  const left = new Map<string, number>();
  // Link URLs are not text.
  for (const word of wordsOf(`${markdown.slice(0, charactersMax).replace(/\]\([^()\s]*/g, "] ")} `))
    left.set(word, (left.get(word) ?? 0) + 1);
  for (const word of wordsOf(around)) left.set(word, (left.get(word) ?? 0) + 1);
  let [all, missing] = [0, 0];
  for (const word of wordsOf(text)) {
    const count = left.get(word) ?? 0;
    all += word.length;
    if (count === 0) missing += word.length;
    else left.set(word, count - 1);
  }
  const aroundLength = wordsOf(around).reduce((sum, word) => sum + word.length, 0);
  return missing / Math.max(200, all - aroundLength);
}
