/** Translates regular expressions for URLs into patterns of `block_requests`, which have `*` alone. Pure. */

/** Of the alternatives of one expression. */
const alternativesMax = 20;
/** Of an expression, in characters: more than `block_requests` takes. */
const expressionMax = 5_000;

/** The patterns that together match the same URLs; undefined if there are none. */
export function globsOf(expression: string): string[] | undefined {
  if (expression.length > expressionMax) return undefined;
  const source = expression.replace(/^\/(?=\^)/, ""); // as the product's documentation writes it
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

/** The texts that the expression matches, with `*` for what is open. */
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
