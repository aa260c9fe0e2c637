/** Runs scripts in all frames of a page, including those of other origins and processes. */

import type { Protocol } from "devtools-protocol";
import type { Target } from "../browser/children.ts";
import { ownWorld, type Tab } from "../browser/tab.ts";

/** Time limit for all frames but the main one. */
const framesMs = 1_500;
const framesMax = 300;

/**
 * Runs `script` in an isolated world of every frame. @returns the results of those that responded, the main frame's first, and whether all
 * of them did.
 */
export async function evaluateInFrames<A extends unknown[], R>(
  tab: Tab,
  script: (...args: A) => R,
  ...args: A
): Promise<{ results: Awaited<R>[]; isComplete: boolean }> {
  const results = [await tab.evaluate(script, ...args)];
  const inTarget = async (target: Target, isOwn: boolean) => {
    const { frameTree } = await target.send("Page.getFrameTree");
    const frames = isOwn ? framesIn(frameTree).slice(1) : framesIn(frameTree);
    if (frames.length > framesMax) throw new Error("The page has too many frames");
    await Promise.all(
      frames.map(async (frameId) => {
        const { executionContextId } = await target.send("Page.createIsolatedWorld", { frameId, worldName: ownWorld });
        const call = { executionContextId, functionDeclaration: script.toString(), arguments: args.map((value) => ({ value })) };
        const { result, exceptionDetails } = await target.send("Runtime.callFunctionOn", { ...call, returnByValue: true });
        if (exceptionDetails) throw new Error(exceptionDetails.text);
        results.push(result.value);
      }),
    );
  };
  const inChildren = async () => await Promise.all((await tab.childFrames()).map((child) => inTarget(child, false)));
  const all = Promise.all([inTarget(tab, true), inChildren()]).then(
    () => true,
    () => false,
  );
  return { results, isComplete: (await tab.resultWithin(framesMs, all)) ?? false };
}

function framesIn({ frame, childFrames = [] }: Protocol.Page.FrameTree): string[] {
  return [frame.id, ...childFrames.flatMap(framesIn)];
}
