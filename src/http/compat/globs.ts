/** Translates regular expressions for URLs into `block_requests` patterns, whose only wildcard is `*`. Pure. */

/** Maximum number of alternatives in an expression. */
const alternativesMax = 20;
/** Maximum length in characters; more than `block_requests` accepts. */
const expressionMax = 5_000;

/** Patterns that together match the same URLs; undefined if the expression has no equivalent. */
export function globsOf(expression: string): string[] | undefined {
  if (expression.length > expressionMax) return undefined;
  const source = expression.replace(/^\/(?=\^)/, ""); // some documentation writes a leading slash
  const fromStart = source.startsWith("^");
  const toEnd = /(?<!\\)\$$/.test(source);
  const bodies = alternatives(source.slice(fromStart ? 1 : 0, toEnd ? -1 : undefined));
  if (!bodies || bodies.length > alternativesMax) return undefined;
  const globs = bodies.map((body) => {
    const open = `${body}${toEnd ? "" : "*"}`;
    if (fromStart && !body.startsWith("*")) return body.includes("/") ? open : undefined;
    return (body.includes("/") ? `*${open}` : `*://*${open}`).replaceAll(/\*+/g, "*");
  });
  return globs.every((glob) => glob !== undefined) ? globs : undefined;
}

const token = /(?<any>\.[*+]\??)|\\(?<escaped>[^\w\s])|(?<literal>[\w\-/:%=&,~@!;#])|\((?:\?:)?(?<group>[^()]*)\)|(?<or>\|)/y;

/** Expands alternatives into plain strings, with `*` for `.*` and `.+`. */
function alternatives(source: string): string[] | undefined {
  const done: string[] = [];
  let current = [""];
  for (let at = 0; at < source.length; ) {
    token.lastIndex = at;
    const match = token.exec(source);
    if (!match || done.length + current.length > alternativesMax) return undefined;
    at += match[0].length;
    const { any, escaped, literal, group, or } = match.groups ?? {};
    const next = group === undefined ? [any ? "*" : (escaped ?? literal ?? "")] : alternatives(group);
    if (!next) return undefined;
    if (or) done.push(...current);
    current = or ? [""] : current.flatMap((before) => next.map((text) => before + text));
  }
  return [...done, ...current];
}
