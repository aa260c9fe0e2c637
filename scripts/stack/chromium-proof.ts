/** Proves that a Chromium starts as the service starts it, and draws text: one without fonts starts happily and draws nothing. */

import { pino } from "pino";
import { proveTab } from "../../src/browser/canary.ts";
import { launchChromium } from "../../src/browser/chromium.ts";
import { createSlot, type Lane } from "../../src/browser/slot.ts";

/** Nothing of the proof goes out. */
const closedLane: Lane = { proxyServer: "http://127.0.0.1:9", begin: () => {}, refusals: () => [], end: () => {}, close: () => {} };

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
    const chromium = await launchChromium(
      { executablePath, sandbox, webgl: false },
      closedLane.proxyServer,
      env,
      pino({ level: "silent" }),
    );
    const slot = await createSlot(chromium, closedLane);
    try {
      await slot.lend("proof", deadline, proveTab);
    } finally {
      await slot.close();
    }
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return (error as Error).message;
  }
}
