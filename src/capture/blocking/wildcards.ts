/** Matches a filter's wildcards in linear time: `*` stands for any text, `^` for a separator or the end. Pure. */

export interface Wildcards {
  /** Lower case unless the filter distinguishes between cases, as the URL is then. */
  pattern: string;
  /** Whether the pattern has to match at the beginning of the text. */
  isLeftAnchored: boolean;
  /** Whether the pattern has to match at the end of the text. */
  isRightAnchored: boolean;
}

/** Text between two `*`. */
interface Part {
  text: string;
  /** Its beginning without `^`. */
  literal: string;
}

/**
 * Returns a function that tells whether the pattern matches in a text. Finding the leftmost match of each part is enough: a part has a fixed
 * length, except that `^` at the end of the text has none.
 */
export function wildcards({ pattern, isLeftAnchored, isRightAnchored }: Wildcards): (text: string) => boolean {
  const parts = pattern.split("*").map((text): Part => ({ text, literal: text.split("^", 1)[0] ?? "" }));
  const last = parts.pop() as Part;
  const first = isLeftAnchored ? parts.shift() : undefined;
  const isWhole = isLeftAnchored && first === undefined;
  let separators = 0;
  while (last.text.at(-1 - separators) === "^") separators += 1;
  return (text) => {
    let at = first ? endOfMatch(first, text, 0) : 0;
    for (const part of parts) if (at !== -1) at = endOfFirstMatch(part, text, at);
    if (at === -1) return false;
    if (!isRightAnchored) return (isWhole ? endOfMatch(last, text, 0) : endOfFirstMatch(last, text, at)) !== -1;
    for (let absent = 0; absent <= separators; absent += 1) {
      const start = text.length - last.text.length + absent;
      if (start >= at && (!isWhole || start === 0) && endOfMatch(last, text, start) === text.length) return true;
    }
    return false;
  };
}

/** End of the leftmost match of `part` from `from` on; -1 if there is none. */
function endOfFirstMatch(part: Part, text: string, from: number): number {
  for (let start = text.indexOf(part.literal, from); start !== -1; start = text.indexOf(part.literal, start + 1)) {
    const end = endOfMatch(part, text, start);
    if (end !== -1 || start === text.length) return end; // an empty literal is found at the end again and again
  }
  return -1;
}

/** End of the match of `part` that begins at `start`; -1 if there is none. */
function endOfMatch({ text: part, literal }: Part, text: string, start: number): number {
  if (!text.startsWith(literal, start)) return -1;
  let at = start + literal.length;
  for (let index = literal.length; index < part.length; index += 1) {
    if (part.charCodeAt(index) !== separator) {
      if (part.charCodeAt(index) !== text.charCodeAt(at)) return -1;
    } else if (at >= text.length) continue;
    else if (!isSeparator(text.charCodeAt(at))) return -1;
    at += 1;
  }
  return at;
}

const separator = "^".charCodeAt(0);
const others = new Set(Array.from("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.%-", (one) => one.charCodeAt(0)));

function isSeparator(code: number): boolean {
  return !others.has(code);
}
