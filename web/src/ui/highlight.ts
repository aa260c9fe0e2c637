/** Splits code into tokens for syntax coloring. Supports just enough for the dashboard's own snippets. */

export type Language = "shell" | "html" | "javascript" | "python" | "go" | "php";

export interface Token {
  text: string;
  kind?: "string" | "keyword" | "name" | "comment";
}

const quoted = String.raw`"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'`;
const words = (list: string) => String.raw`\b(?:${list.replaceAll(" ", "|")})\b`;

/** The source of the pattern for each kind of token; a string takes precedence over what is inside it. */
const languages: Record<Language, { string: string; keyword: string; name?: string; comment?: string }> = {
  // A quote inside a string is written as '\'' : it is one token with the text around it.
  shell: { string: String.raw`(?:'[^']*'|\\')+`, keyword: words("curl"), name: String.raw`(?<=\s)--?[\w-]+` },
  html: { string: quoted, keyword: String.raw`</?\w+|>`, name: String.raw`[\w-]+(?==)` },
  javascript: {
    string: `${quoted}|${String.raw`\x60(?:\\.|[^\x60\\])*\x60`}`,
    keyword: words("import from const await new if throw for of continue"),
    comment: "//.*",
  },
  python: { string: quoted, keyword: words("import from with as open print for in if not continue"), comment: "#.*" },
  go: { string: `${quoted}|\\x60[^\\x60]*\\x60`, keyword: words("package import func defer if err nil"), comment: "//.*" },
  php: { string: quoted, keyword: String.raw`<\?php|${words("array")}`, name: String.raw`\$\w+`, comment: "//.*" },
};

/** The tokens' texts joined together give the code. */
export function highlight(code: string, language: Language): Token[] {
  const { string, keyword, name = "(?!)", comment = "(?!)" } = languages[language];
  const pattern = new RegExp(`(?<string>${string})|(?<comment>${comment})|(?<keyword>${keyword})|(?<name>${name})`, "g");
  const tokens: Token[] = [];
  let end = 0;
  for (const { index, 0: text, groups = {} } of code.matchAll(pattern)) {
    if (index > end) tokens.push({ text: code.slice(end, index) });
    const kind = Object.keys(groups).find((group) => groups[group] !== undefined) as NonNullable<Token["kind"]>;
    tokens.push({ text, kind });
    end = index + text.length;
  }
  if (end < code.length) tokens.push({ text: code.slice(end) });
  return tokens;
}
