/** Proves that a Chromium starts as the service starts it, and draws text: one without fonts starts happily and draws nothing. */

import { pino } from "pino";
import { launchChromium } from "../../src/browser/chromium.ts";
import { checkChromium } from "../../src/browser/slot.ts";

/** A proxy that nobody runs: nothing of the proof goes out. */
const nowhere = "http://127.0.0.1:9";

/**
 * Starts the browser once, for one picture with text and one without.
 * @returns undefined when they differ, else a sentence for a person.
 * @throws the reason of `signal` when it aborts.
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
