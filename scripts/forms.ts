/**
 * Finds members of elements that a form's fields may shadow: `<form><input name="style">` makes `form.style` the field, in isolated worlds
 * too. Code that runs in pages reads them from the prototypes, or its types say that the element can't be a form, such as `HTMLImageElement`.
 */

import { globSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript-6";

const checked = ["src/capture/**/*.ts", "src/browser/**/*.ts"];

/** Files that only read the copy made by `flat-copy.ts`, in which the fields of forms have no names. */
const onCopies = ["main-content.ts", "markdown.ts", "plain-tables.ts"].map((file) => `src/capture/in-page/${file}`);

/** One message for each member that is read from an element that may be a form. */
export function formProblems(root: string): string[] {
  const paths = globSync(checked, { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !onCopies.includes(path));
  const files = paths.map((path) => join(root, path));
  // Without `types`, the packages of Node needn't be read: no element comes from them.
  const program = ts.createProgram(files, { ...options, types: [] });
  return files.flatMap((file, index) => {
    const source = program.getSourceFile(file);
    return source ? shadowable(source, program.getTypeChecker()).map((found) => `${paths[index]}:${found}`) : [];
  });
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  lib: ["lib.es2024.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
};

/** Line and name of each member that a form's field may shadow. */
function shadowable(source: ts.SourceFile, checker: ts.TypeChecker): string[] {
  const form = checker.resolveName("HTMLFormElement", undefined, ts.SymbolFlags.Interface, false);
  const formType = form && checker.getDeclaredTypeOfSymbol(form);
  const found: string[] = [];
  const isOfPage = (type: ts.Type): boolean => {
    const parts = type.isUnionOrIntersection() ? type.types : type.aliasSymbol?.name === "Partial" ? type.aliasTypeArguments : undefined;
    return parts ? parts.some(isOfPage) : Boolean(type.symbol?.declarations?.some(isInLibrary));
  };
  const mayBeForm = (type: ts.Type): boolean =>
    type.isUnion() ? type.types.some(mayBeForm) : isOfPage(type) && formType !== undefined && checker.isTypeAssignableTo(formType, type);
  const visit = (node: ts.Node): void => {
    const read = readsOf(node);
    if (read && mayBeForm(checker.getTypeAtLocation(read.from)))
      for (const name of read.names.filter((name) => !isSafe(name, node)))
        found.push(`${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: a form's field may shadow \`${name}\``);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Whether a type is declared by the browser; other types, such as `{}`, also fit forms. */
function isInLibrary(declaration: ts.Declaration): boolean {
  return declaration.getSourceFile().fileName.endsWith("lib.dom.d.ts");
}

function readsOf(node: ts.Node): { from: ts.Node; names: string[] } | undefined {
  if (ts.isPropertyAccessExpression(node)) return { from: node.expression, names: [node.name.text] };
  if (ts.isElementAccessExpression(node)) return { from: node.expression, names: [node.argumentExpression.getText()] };
  if (!ts.isObjectBindingPattern(node)) return undefined;
  return { from: node, names: node.elements.map(({ name, propertyName }) => (propertyName ?? name).getText()) };
}

const own = /\.prototype$|^(page|document\.(documentElement|body|head)|\(document\.scrollingElement \?\? document\.documentElement\))$/;

/**
 * Members of prototypes and of the document's own elements; `style` in a statement that asks whether the element is a form; and
 * `shadowRoot` where its `mode` is read first, which fields don't have.
 */
function isSafe(name: string, node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node) && own.test(node.expression.getText())) return true;
  const isWithin = (test: (one: ts.Node) => boolean, text: string) =>
    ts.findAncestor(node, (one) => test(one) && one.getText().includes(text)) !== undefined;
  if (name === "style") return isWithin(ts.isVariableStatement, "instanceof HTMLFormElement");
  return name === "shadowRoot" && isWithin(hasBranches, "oot?.mode");
}

function hasBranches(node: ts.Node): boolean {
  if (ts.isArrowFunction(node)) return !ts.isBlock(node.body);
  return ts.isConditionalExpression(node) || ts.isIfStatement(node) || ts.isForStatement(node) || ts.isForOfStatement(node);
}
