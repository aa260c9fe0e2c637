/** Patterns in which `*` stands for any text. Pure. */

/** Maximum length of parts passed to V8's `indexOf`: it isn't linear for long ones, since its skip tables cover only 250 characters. */
const indexOfLengthMax = 200;

/** Matches literally except for `*`. Takes linear time: each part is searched for once, from left to right. */
export function glob(pattern: string, text: string): boolean {
  const parts = pattern.split("*");
  const first = parts.shift() ?? "";
  const last = parts.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = part.length > indexOfLengthMax ? indexOfLong(part, text, at) : text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}

/** `text.indexOf(part, from)` in linear time (Knuth, Morris and Pratt). */
function indexOfLong(part: string, text: string, from: number): number {
  /** For each position in `part`, the length of the longest proper prefix of `part` that ends there. */
  const borders = new Uint32Array(part.length);
  const extend = (length: number, next: string | undefined) => {
    let at = length;
    while (at > 0 && part[at] !== next) at = borders[at - 1] ?? 0;
    return part[at] === next ? at + 1 : 0;
  };
  for (let index = 1; index < part.length; index += 1) borders[index] = extend(borders[index - 1] ?? 0, part[index]);
  for (let [index, matched] = [from, 0]; index < text.length; index += 1) {
    matched = extend(matched, text[index]);
    if (matched === part.length) return index + 1 - matched;
  }
  return -1;
}
