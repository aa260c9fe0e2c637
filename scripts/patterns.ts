/**
 * Finds regular expressions that may take more than linear time in code that reads untrusted input. Callers and pages control that input,
 * and a single long string could block the process, or scripts in the page.
 */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { patternsIn } from "./patterns/find.ts";
import { superLinear } from "./patterns/linear.ts";

const checked = ["src/**/*.{ts,js}", "web/server/**/*.ts"];

export interface Exception {
  file: string;
  /** The pattern as written, or a prefix of it. */
  pattern: string;
  /** Why it is safe anyway. */
  reason: string;
}

/** A page's signals are truncated in `capture/in-page/page-signals.ts`. */
const signal = "a page's text is at most 4,000 characters long, its headline and each of its URLs 300";

const exceptions: Exception[] = [
  {
    file: "src/http/input/request-target.ts",
    pattern: "new RegExp(`^${parts.join",
    reason: "the service's own routes: parts without slashes between slashes, and anything at the end only",
  },
  {
    file: "src/capture/blocking/consent.ts",
    pattern: "new RegExp(rule[3])",
    reason: "test/capture/blocking-consent.test.ts checks those of the pinned package",
  },
  {
    file: "src/capture/in-page/storage.ts",
    pattern: "new RegExp(r.p, r.f)",
    reason: "a value of the caller's own session, stored for its page; nothing here runs it",
  },
  {
    file: "src/capture/in-page/linear-pattern.ts",
    pattern: "new RegExp(`^(?:",
    reason: "a single character, class or escape, tested on one character at a time",
  },
  { file: "src/browser/client-hints.ts", pattern: "/Android [^;)]+; (", reason: "a user agent has at most 1,024 characters" },
  { file: "src/mcp/tools/screenshot.ts", pattern: "/([^;]+)(?:; \\1)+", reason: "the error has at most 4,000 characters" },
  { file: "src/capture/verdict/rules/bot-walls.ts", pattern: "/\\/_Incapsula_Resource", reason: signal },
  {
    file: "src/capture/verdict/rules/bot-walls.ts",
    pattern: "/(^|\\.)google\\.",
    reason: "a host that was resolved has at most 253 characters",
  },
  { file: "src/capture/verdict/rules/domains-for-sale.ts", pattern: "/\\bdomain( name)? ", reason: signal },
  { file: "src/capture/verdict/rules/parked.ts", pattern: "/^(welcome to nginx", reason: signal },
];

/** One message for each pattern that isn't proven linear, and for each exception that matches no pattern. */
export function patternProblems(root: string): string[] {
  const paths = globSync(checked, { cwd: root }).filter((path) => !path.endsWith(".generated.ts"));
  return problemsIn(
    paths.map((path) => ({ path: path.replaceAll("\\", "/"), text: readFileSync(join(root, path), "utf8") })),
    exceptions,
  );
}

export function problemsIn(files: readonly { path: string; text: string }[], allowed: readonly Exception[]): string[] {
  const unused = new Set(allowed);
  const problems = files.flatMap(({ path, text }) =>
    patternsIn(path, text).flatMap((found) => {
      const problem = found.pattern ? superLinear(found.pattern.source, found.pattern.flags) : "is known at run time only";
      if (problem === undefined) return [];
      const exception = allowed.find(({ file, pattern }) => file === path && found.text.startsWith(pattern));
      if (!exception) return [`${path}:${found.line}: ${found.text} ${problem}`];
      unused.delete(exception);
      return [];
    }),
  );
  return [...problems, ...[...unused].map(({ file, pattern }) => `scripts/patterns.ts: no exception is needed for ${pattern} in ${file}`)];
}
