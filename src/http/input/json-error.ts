/** Locates the first JSON syntax error, in linear time, and says what was expected, without quoting the text, which may contain a key. */

/** Maximum nesting; far above the limit for bodies. */
const levelsMax = 100;
/** Maximum length of the scanned text in characters; scanning more would delay other requests. */
const lengthMax = 256 * 1024;

type Expected = "value" | "name" | "name or end" | "colon" | "comma" | "end" | "value or end";

interface State {
  text: string;
  at: number;
  /** Open brackets at the current position, outermost first. */
  around: ("{" | "[")[];
  expected: Expected;
}

/** `at line 2, column 5: a name in double quotes was expected`; undefined if the text is valid JSON, or longer than 262,144 characters. */
export function jsonProblem(text: string): string | undefined {
  if (text.length > lengthMax) return undefined;
  const state: State = { text, at: text.startsWith("\ufeff") ? 1 : 0, around: [], expected: "value" };
  for (;;) {
    while (state.at < text.length && " \t\r\n".includes(text[state.at] as string)) state.at += 1;
    if (state.at >= text.length)
      return state.expected === "end" && state.around.length === 0 ? undefined : `: it ends where ${wanted(state)} was expected`;
    const problem = step(state);
    if (problem !== undefined) return `${positionOf(text, state.at)}: ${problem}`;
  }
}

/** Reads one token. Returns the problem at `state.at`, if there is one. */
function step(state: State): string | undefined {
  const { text, at, around, expected } = state;
  const character = text[at] as string;
  if (character === '"' && expected !== "colon" && expected !== "comma" && expected !== "end") return readText(state);
  if (character === ":" && expected === "colon") return advance(state, 1, "value");
  if (character === "," && expected === "comma") return advance(state, 1, around.at(-1) === "{" ? "name" : "value");
  if (closes(state, character)) {
    around.pop();
    return advance(state, 1, around.length === 0 ? "end" : "comma");
  }
  if (expected === "value" || expected === "value or end") {
    if (character === "{" || character === "[") {
      if (around.length === levelsMax) return "there are too many levels";
      around.push(character);
      return advance(state, 1, character === "{" ? "name or end" : "value or end");
    }
    const word = wordAt(text, at);
    if (word !== "") return advance(state, word.length, afterValue(state));
  }
  return `${wanted(state)} was expected`;
}

function advance(state: State, by: number, expected: Expected): undefined {
  state.at += by;
  state.expected = expected;
}

function afterValue({ around }: State): Expected {
  return around.length === 0 ? "end" : "comma";
}

function closes({ around, expected }: State, character: string): boolean {
  const opening = around.at(-1);
  const isDone = expected === "comma" || expected === (opening === "{" ? "name or end" : "value or end");
  return isDone && ((character === "}" && opening === "{") || (character === "]" && opening === "["));
}

/** The number, `true`, `false` or `null` at this position; empty if there is none. */
function wordAt(text: string, at: number): string {
  let end = at;
  while (end < text.length && /[\w.+-]/.test(text[end] as string)) end += 1;
  const word = text.slice(at, end);
  try {
    JSON.parse(word);
    return word;
  } catch {
    return "";
  }
}

function readText(state: State): string | undefined {
  const { text, expected } = state;
  for (let at = state.at + 1; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === '"') return advance(state, at + 1 - state.at, expected.startsWith("name") ? "colon" : afterValue(state));
    if (character < " ") {
      state.at = at;
      return "a line break or control character in text must be escaped, for example as \\n";
    }
    if (character !== "\\") continue;
    const escaped = text.slice(at + 1, at + 6);
    if (!/^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(escaped)) {
      state.at = at;
      return "a backslash in text must be doubled, or begin an escape such as \\n";
    }
    at += 1;
  }
  return "the text that begins here has no closing quote";
}

function wanted({ around, expected }: State): string {
  const closing = around.at(-1) === "{" ? "}" : "]";
  const words: Record<Expected, string> = {
    value: "a value",
    name: "a name in double quotes",
    "name or end": "a name in double quotes, or }",
    "value or end": "a value, or ]",
    colon: "a colon",
    comma: `a comma or ${closing}`,
    end: "nothing more",
  };
  return words[expected];
}

/** Line and column numbers start at 1. */
function positionOf(text: string, at: number): string {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1 && end < at; end = text.indexOf("\n", end + 1)) {
    line += 1;
    start = end + 1;
  }
  return ` at line ${line}, column ${at - start + 1}`;
}
