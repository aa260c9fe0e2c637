/** Finds regular expressions in TypeScript, including those assembled from constants of the same file. */

import ts from "typescript-6";

export interface Found {
  line: number;
  /** As written, cut off at 80 characters. */
  text: string;
  /** undefined if it is only known at run time. */
  pattern: { source: string; flags: string } | undefined;
}

export function patternsIn(path: string, text: string): Found[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const constants = constantsOf(file);
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    const pattern = patternOf(node, constants);
    if (pattern !== undefined) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      found.push({ line: line + 1, text: node.getText().replace(/\s+/g, " ").slice(0, 80), pattern: pattern ?? undefined });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Null for a pattern that is only known at run time; undefined if the node is not a pattern. */
function patternOf(node: ts.Node, constants: Constants): { source: string; flags: string } | null | undefined {
  if (ts.isRegularExpressionLiteral(node)) return literal(node);
  const isMade = (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === "RegExp";
  if (!isMade) return undefined;
  const [source, flags] = (node.arguments ?? []).map((argument) => constantText(argument, constants));
  const isKnown = source !== undefined && (flags !== undefined || node.arguments?.length === 1);
  return isKnown ? { source, flags: flags ?? "" } : null;
}

function literal({ text }: ts.RegularExpressionLiteral): { source: string; flags: string } {
  const end = text.lastIndexOf("/");
  return { source: text.slice(1, end), flags: text.slice(end + 1) };
}

type Constants = ReadonlyMap<string, ts.Expression>;

/** Initializers of constants by name, from any block; names that are declared more than once, or not as constants, are omitted. */
function constantsOf(file: ts.SourceFile): Constants {
  const constants = new Map<string, ts.Expression>();
  const twice = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name)) {
      const name = node.name.text;
      if (constants.has(name)) twice.add(name);
      if (node.initializer && node.parent.flags & ts.NodeFlags.Const) constants.set(name, node.initializer);
      else twice.add(name);
    } else if (ts.isParameter(node) && ts.isIdentifier(node.name)) twice.add(node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  for (const name of twice) constants.delete(name);
  return constants;
}

/** The text of a constant expression; undefined for any other. */
function constantText(node: ts.Expression, constants: Constants): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    const parts = node.templateSpans.map((span) => [constantText(span.expression, constants), span.literal.text] as const);
    return parts.every(([value]) => value !== undefined) ? node.head.text + parts.flat().join("") : undefined;
  }
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === "String.raw")
    return ts.isNoSubstitutionTemplateLiteral(node.template) ? node.template.rawText : undefined;
  if (ts.isIdentifier(node)) {
    const initial = constants.get(node.text);
    return initial && constantText(initial, constants);
  }
  if (ts.isPropertyAccessExpression(node) && node.name.text === "source") return sourceOf(node.expression, constants);
  return ts.isCallExpression(node) ? joined(node, constants) : undefined;
}

function sourceOf(node: ts.Expression, constants: Constants): string | undefined {
  const own = ts.isIdentifier(node) ? constants.get(node.text) : node;
  return own && patternOf(own, constants)?.source;
}

/** The text of an expression such as `["one", "other"].join("|")`; undefined for any other. */
function joined({ expression, arguments: [separator] }: ts.CallExpression, constants: Constants): string | undefined {
  if (!ts.isPropertyAccessExpression(expression) || expression.name.text !== "join" || !separator) return undefined;
  const named = ts.isIdentifier(expression.expression) ? constants.get(expression.expression.text) : expression.expression;
  const list = named && ts.isAsExpression(named) ? named.expression : named; // `as const`
  const between = constantText(separator, constants);
  if (!list || !ts.isArrayLiteralExpression(list) || between === undefined) return undefined;
  const items = list.elements.map((item) => constantText(item, constants));
  return items.every((item) => item !== undefined) ? items.join(between) : undefined;
}
