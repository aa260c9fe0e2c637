/** Measures the document in the current window. Runs in the page, so it may use nothing from outside of itself. */

/** CSS pixels from the top of the document to the end of its content. */
export function printedHeight(): number {
  const { documentElement: root, body } = document;
  const page = document.scrollingElement ?? root;
  const whole = page.scrollHeight;
  if (whole > innerHeight) return whole;
  // A document that is shorter than the window ends with its body.
  const ends = [root, body].map((element) => element?.getBoundingClientRect().bottom ?? 0);
  return Math.min(whole, Math.max(1, ...ends) + scrollY);
}
