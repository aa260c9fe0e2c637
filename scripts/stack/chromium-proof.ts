/** Checks that a Chromium starts as in the service and renders text: without fonts, it starts but renders none. */

import { pino } from "pino";
import { launchChromium } from "../../src/browser/chromium.ts";
import { checkChromium } from "../../src/browser/slot.ts";

/** No proxy is listening here: the check causes no traffic. */
const nowhere = "http://127.0.0.1:9";

/**
 * Starts the browser, and renders a page with text and one without.
 * @returns undefined if it works, otherwise a sentence that says what is wrong.
 * @throws the reason of `signal` if it aborts.
 */
export async function chromiumProblem(
  executablePath: string,
  { sandbox, env }: { sandbox: boolean; env: Record<string, string | undefined> },
  signal: AbortSignal,
): Promise<string | undefined> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(60_000)]);
  try {
    const chromium = await launchChromium({ executablePath, sandbox, webgl: false }, nowhere, env, pino({ level: "silent" }));
    try {
      await checkChromium(chromium, deadline);
    } finally {
      await chromium.close();
    }
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return (error as Error).message;
  }
}
