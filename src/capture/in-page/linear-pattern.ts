/**
 * Runs regular expressions sent by callers in linear time: all ways to match advance together, one character of the text at a time (K.
 * Thompson, Regular expression search algorithm, 1968). Also runs in pages, so it must be self-contained.
 */

/** Returns the start and end of the match that ends first. */
export type Search = (text: string) => [start: number, end: number] | undefined;

/**
 * `^` and `$` match at the start and end of each line. Look-arounds and backreferences are not supported.
 * @throws {SyntaxError} with the problem as the predicate of a sentence, such as "is too large".
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is serialized into the page, so it must be self-contained
export function linearPattern(source: string, ignoresCase: boolean): Search {
  const statesMax = 250;
  type Test = (character: string) => boolean;
  /** Compiles a part of the pattern that continues with the state `next`. Returns the part's first state. */
  type Part = (next: number) => number;
  /** A state reads a character, continues in several states in parallel, or continues where an assertion holds. */
  const states: { test?: Test; assertion?: string; next: number[] }[] = [];
  const refuse = (problem: string): never => {
    throw new SyntaxError(problem);
  };
  const add = (state: (typeof states)[number]): number => {
    if (states.length >= statesMax) refuse("is too large");
    return states.push(state) - 1;
  };

  let at = 0;
  let copies = 0;
  const eat = (text: string) => {
    if (!source.startsWith(text, at)) return false;
    at += text.length;
    return true;
  };
  /** End of the escape, class or character that begins at `from`. */
  const endOf = (from: number): number => {
    if (source[from] === "\\") {
      const [text = ""] =
        /^\\(?:[pPu]\{\w{1,40}(?:=\w{1,40})?\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|[\s\S])/u.exec(source.slice(from, from + 90)) ?? [];
      return text === "" ? refuse("ends with a lone backslash") : from + text.length;
    }
    if (source[from] !== "[") return from + String.fromCodePoint(source.codePointAt(from) ?? 0).length;
    let end = from + 1;
    while (end < source.length && source[end] !== "]") end += source[end] === "\\" ? 2 : 1;
    return end < source.length ? end + 1 : refuse("has an unterminated character class");
  };
  /** End of the group name that begins at `from`, including its `>`. */
  const endOfName = (from: number): number => {
    const end = source.indexOf(">", from);
    if (end < 0) return refuse("has a group name without a closing >");
    return /^[$_\p{ID_Start}][$\p{ID_Continue}]*$/u.test(source.slice(from, end)) ? end + 1 : refuse("has an invalid group name");
  };
  /**
   * Compiles an escape, class or character once it is needed. Until then only its syntax is checked, with `\d` instead of each set of
   * characters: joining the thousands of ranges of `\p{L}` with others takes up to a millisecond.
   */
  const single = (text: string): Test => {
    if (/^\\[1-9k]/.test(text)) return refuse("has an unsupported backreference");
    const compile = (one: string, flags: string) =>
      new RegExp(`^(?:${one === "/" || one === "}" || one === "]" ? `\\${one}` : one})$`, flags);
    try {
      compile(
        text.replace(/\\(?:[pP]\{[^{}]{1,90}\}|[\s\S])/gu, (one) => {
          if (one.length > 2) compile(one, "u");
          return one.length > 2 || /^\\[dDsSwW]/.test(one) ? "\\d" : one;
        }),
        "u",
      );
    } catch {
      return refuse("has an invalid escape or class");
    }
    let compiled: RegExp | undefined;
    return (character) => {
      compiled ??= compile(text, ignoresCase ? "iu" : "u");
      return compiled.test(character);
    };
  };
  const atom = (): Part => {
    if (eat("(")) {
      if (/^\?(?:[=!]|<[=!])/.test(source.slice(at, at + 3))) refuse("has an unsupported look-around");
      if (!eat("?:") && eat("?<")) at = endOfName(at);
      const inner = alternatives();
      return eat(")") ? inner : refuse("has an unclosed group");
    }
    const start = at;
    at = endOf(at);
    const text = source.slice(start, at);
    if (text === "^" || text === "$" || text === "\\b" || text === "\\B") return (next) => add({ assertion: text, next: [next] });
    if (/^[*+?{]/.test(text)) refuse("has a quantifier with nothing to repeat");
    const test = single(text);
    return (next) => add({ test, next: [next] });
  };
  const repeated = (): Part => {
    let part = atom();
    for (;;) {
      const [counts = "", least, most] = /^\{(\d{1,4})(?:,(\d{0,4}))?\}/.exec(source.slice(at, at + 12)) ?? [];
      const [min, max] = eat("*") ? [0, Infinity] : eat("+") ? [1, Infinity] : eat("?") ? [0, 1] : [Number(least), most === "" ? Infinity : Number(most ?? least)]; // biome-ignore format: a table
      if (Number.isNaN(min)) return part;
      if (counts !== "") at += counts.length;
      eat("?"); // it doesn't matter which of several matches is found
      const once = part;
      part = (next) => {
        let first = next;
        copies += max === Infinity ? min : max;
        if (copies > statesMax) refuse("is too large"); // also counts parts without states
        if (max === Infinity) {
          first = add({ next: [] });
          states[first]?.next.push(once(first), next);
        } else for (let count = min; count < max; count += 1) first = add({ next: [once(first), next] });
        for (let count = 0; count < min; count += 1) first = once(first);
        return first;
      };
    }
  };
  const sequence = (): Part => {
    const parts: Part[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") parts.push(repeated());
    return (next) => parts.reduceRight((first, part) => part(first), next);
  };
  const alternatives = (): Part => {
    const parts = [sequence()];
    while (eat("|")) parts.push(sequence());
    return (next) => (parts.length === 1 ? (parts[0] as Part)(next) : add({ next: parts.map((part) => part(next)) }));
  };
  const whole = alternatives();
  if (at < source.length) refuse("has an unmatched )");
  const end = add({ next: [] });
  const first = whole(end);

  const isWord = (character: string | undefined) => character !== undefined && /\w/.test(character);
  const isBreak = (character: string | undefined) => character === undefined || character === "\n";
  const holds = (assertion: string, before: string | undefined, after: string | undefined) => {
    if (assertion === "^") return isBreak(before);
    if (assertion === "$") return isBreak(after);
    return (isWord(before) !== isWord(after)) === (assertion === "\\b");
  };
  /** For each character, whether each state reads it. */
  const readers = new Map<string, boolean[]>();
  const readersOf = (character: string) => {
    const known = readers.get(character) ?? states.map(({ test }) => test?.(character) ?? false);
    readers.set(character, known);
    return known;
  };
  return (text) => {
    /** States that may read the next character, and where each state's match began, earliest first. */
    let [active, starts]: [number[], number[]] = [[], []];
    const reachedAt = new Int32Array(states.length).fill(-1);
    let [position, before]: [number, string | undefined] = [0, undefined];
    for (const after of [...text, undefined]) {
      const reads = after === undefined ? [] : readersOf(after);
      const [nextActive, nextStarts]: [number[], number[]] = [[], []];
      active.push(first);
      starts.push(position);
      for (let index = 0; index < active.length; index += 1) {
        const open = [active[index] as number];
        const start = starts[index] as number;
        for (let one = open.pop(); one !== undefined; one = open.pop()) {
          if (one === end) return [start, position];
          if (reachedAt[one] === position) continue;
          reachedAt[one] = position;
          const { test, assertion, next } = states[one] as (typeof states)[number];
          if (test ? !reads[one] : assertion && !holds(assertion, before, after)) continue;
          if (!test) open.push(...next);
          else {
            nextActive.push(next[0] as number);
            nextStarts.push(start);
          }
        }
      }
      [active, starts] = [nextActive, nextStarts];
      position += after?.length ?? 0;
      before = after;
    }
    return undefined;
  };
}
