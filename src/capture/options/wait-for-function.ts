/** Waits until a JavaScript expression is true in the page. */

import { Script } from "node:vm";
import { z } from "zod";
import { isDocumentReplaced } from "../../browser/chromium-errors.ts";
import type { Tab } from "../../browser/tab.ts";
import { AppError, wrongParameter } from "../../shared/errors.ts";
import { waitUntil } from "../loading/wait-until.ts";
import { optionGroup, type Work } from "../option-group.ts";

export const waitForFunction = optionGroup({
  title: "Waiting for a function",
  onlyIfSet: true,
  intro: "A condition that must become true before the waits below begin.",
  example: { wait_for_function: "document.querySelectorAll('article').length > 9" },
  parameters: () => ({
    wait_for_function: z
      .string()
      .min(1)
      .max(8192, { abort: true })
      .check(({ value, issues }) => {
        const problem = isCheap(value) ? syntaxProblem(value) : undefined;
        if (problem) issues.push({ code: "custom", message: notExpression(problem), input: value });
      })
      .optional()
      .meta({
        output: "load",
        valid: "a JavaScript expression or function of at most 8192 characters",
        description:
          "JavaScript expression that must become true before the capture, or a function that must return a truthy value; promises are awaited. It is evaluated in the page several times a second. An exception counts as false, except that two kinds of `DOMException` end the wait: `TimeoutError` with the error `target_timeout`, and `AbortError` with `invalid_parameters`.",
        examples: ["window.chart?.isDrawn", "() => document.fonts.status === 'loaded'"],
      }),
  }),
  afterReady: async ({ wait_for_function: source }, work) => {
    if (source === undefined) return;
    if (!isCheap(source)) await assertSyntax(work.tab, source);
    work.waitsFor = awaited;
    await waitUntil(work, () => isTrue(work, source));
    work.recorder?.step("wait_for_function became true");
  },
});

const awaited = "wait_for_function to be true";

const notExpression = (problem: string) => `is not a JavaScript expression: ${problem}`;

/**
 * The source as functions that aren't run, in two kinds of brackets: a source that closes one kind could otherwise make `isTrue` return
 * millions of values, which this process would have to parse.
 */
const bracketed = (source: string) => ["()", "[]"].map(([open, close]) => `async () => ${open}${source}\n${close}`);

/**
 * Whether this process may parse the source. Nested parameters take time that grows with the square of their number, and `\p{RGI_Emoji}` in
 * regular expressions with the flags `u` or `v` takes milliseconds each time; the browser parses such sources.
 */
function isCheap(source: string): boolean {
  return source.length <= 1_000 && !/\/[a-z]*[uv]/.test(source);
}

function syntaxProblem(source: string): string | undefined {
  try {
    for (const script of bracketed(source)) new Script(script);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** @throws {AppError} `invalid_parameters`. */
async function assertSyntax(tab: Tab, source: string): Promise<void> {
  const problem = await tab.evaluate(parse, bracketed(source));
  if (problem !== undefined) throw wrongParameter("wait_for_function", notExpression(problem));
}

/** Runs in this service's own world of the page, whose `Function` the page can't replace. */
function parse(scripts: string[]): string | undefined {
  try {
    for (const script of scripts) new Function(`return ${script}`);
    return undefined;
  } catch (error) {
    return (error as Error).message.slice(0, 200);
  }
}

/** Not by value: what the expression throws would be serialized too, and could be millions of objects. */
async function isTrue(work: Work, source: string): Promise<boolean> {
  const expression = `(async () => { const value = (${source}\n); return !!(await (typeof value === "function" ? value() : value)); })()`;
  const answer = await work.tab.send("Runtime.evaluate", { expression, awaitPromise: true }, Number.POSITIVE_INFINITY).catch((error) => {
    if (isDocumentReplaced(error)) return undefined;
    throw error;
  });
  const exception = answer?.exceptionDetails;
  if (!exception) {
    work.waitsFor = awaited;
    return answer?.result.value === true;
  }
  const message = (exception.exception?.description ?? exception.text).split("\n", 1)[0]?.slice(0, 200) ?? "";
  if (exception.exception?.className === "DOMException") endIfAsked(message);
  work.waitsFor = `${awaited}, which threw: ${message}`;
  return false;
}

/** @throws {AppError} `target_timeout` for a `TimeoutError`, `invalid_parameters` for an `AbortError`: the expression won't become true. */
function endIfAsked(thrown: string): void {
  const [, name, reason = ""] = /^(TimeoutError|AbortError): (.*)$/.exec(thrown) ?? [];
  if (name === "TimeoutError") throw new AppError("target_timeout", { message: `The target was not ready in time. ${reason}.` });
  if (name === "AbortError") throw wrongParameter("wait_for_function", `ended the wait: ${reason}`);
}
