/** Patterns in which `*` stands for any text. Pure. */

/** Matches literally except for `*`. Searches for each part once, from left to right, so the time is not exponential. */
export function glob(pattern: string, text: string): boolean {
  const parts = pattern.split("*");
  const first = parts.shift() ?? "";
  const last = parts.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
