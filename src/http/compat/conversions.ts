/** Converts other products' values: durations, and regular expressions for URLs. */

/** Seconds per unit, by the unit's short names. */
const inSeconds: Record<string, number> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  ms: 0.001,
  s: 1,
  sec: 1,
  m: 60,
  min: 60,
  h: 3600,
  hr: 3600,
  d: 86_400,
  w: 604_800,
};

const longNames: Record<string, string> = { millisecond: "ms", second: "s", minute: "m", hour: "h", day: "d", week: "w" };

function unitOf(name: string): number {
  const singular = name.length > 2 ? name.replace(/s$/, "") : name;
  return inSeconds[longNames[singular] ?? singular] ?? Number.NaN;
}

/** Maximum length in characters; enough for `1week2days3hours4minutes5seconds`. */
const durationLengthMax = 60;

/**
 * Accepts `500ms`, `2.5s`, `3 seconds`, `1h30m`, or a bare number of milliseconds; returns anything else unchanged, for our validation to
 * reject.
 */
export function toSeconds(value: unknown): unknown {
  const text = String(value).trim();
  if (text.length > durationLengthMax) return value;
  if (/^(\d+(\.\d*)?|\.\d+)$/.test(text)) return Number(text) / 1000;
  // Sticky matching: each part begins where the previous one ends, so the pattern is not retried at every digit.
  const parts = [...text.matchAll(/(\d+(?:\.\d*)?|\.\d+) ?([a-zµ]+)/gy)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text) return value;
  const total = parts.reduce((sum, [, amount, unit = ""]) => sum + Number(amount) * unitOf(unit), 0);
  return Number.isNaN(total) ? value : Math.round(total * 1000) / 1000;
}

/** Maximum number of alternatives in an expression. */
const alternativesMax = 20;
/** Maximum length in characters; more than `block_requests` accepts. */
const expressionMax = 5_000;

/** `block_requests` patterns that together match the URLs that a regular expression matches; undefined if that is not possible. */
export function globsOf(expression: string): string[] | undefined {
  if (expression.length > expressionMax) return undefined;
  const source = expression.replace(/^\/(?=\^)/, ""); // examples in some documentation begin with a slash
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
