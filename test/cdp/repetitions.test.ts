/** Messages designed to be expensive, of the maximum length for their command. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { assertBounded, BadMessage, lengthMax, parseCommand } from "../../src/cdp/messages.ts";
import { allowedMethods, judgeCommand } from "../../src/cdp/policy.ts";
import { longOnly } from "../support/long-only.ts";
import { longestTurnAtBest } from "../support/longest-turn.ts";

const longTest = longOnly(test);

/** Repeated within a text, and as the elements of a list. */
const units = {
  text: ["A", "1", "{", "[", '\\"', "\\\\", "\\u0000", "\\ud800", "\\n", "é", "😀", ",", "%25", " ", "a|", "http://a/"],
  list: ["[],", "{},", "1,", '"a",', '{"a":[]},', "null,", '{"name":"a","value":"b"},', "[", "1", '"', " ", "é", "\\"],
};
const triesMax = 5;

/** Handles `message` as if it came from a client. @returns milliseconds of this thread's CPU time. */
function timeOf(message: Buffer): number {
  const before = process.threadCpuUsage();
  try {
    assertBounded(message);
    const command = parseCommand(String(message));
    const verdict = judgeCommand(command);
    if (verdict.kind === "pass") JSON.stringify({ ...command, params: verdict.params });
  } catch (error) {
    if (!(error instanceof BadMessage)) throw error;
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

function messageOf(method: string, kind: "text" | "list", unit: string, bytes: number): Buffer {
  const [before, after] = kind === "text" ? ['"', '"'] : ["[", "0]"];
  const head = `{"id":1,"method":"${method}","params":{"a":${before}`;
  return Buffer.from(`${head}${unit.repeat(Math.floor((bytes - head.length - 10) / Buffer.byteLength(unit)))}${after}}}`);
}

/** The shortest of several measurements: others may include a garbage collection, or the compilation of code. */
function shortestOf(message: Buffer, isEnough: (ms: number) => boolean): number {
  let ms = timeOf(message);
  for (let tries = 1; tries < triesMax && !isEnough(ms); tries += 1) ms = Math.min(ms, timeOf(message));
  return ms;
}

test("a command of 8 MB full of lone surrogates, which take long to serialize, is handled in turns of at most 100 ms", async () => {
  const message = messageOf("Page.setDocumentContent", "text", "\\ud800", lengthMax.text);
  const { ms, result } = await longestTurnAtBest(async () => {
    assertBounded(message);
    await setImmediate();
    const command = parseCommand(String(message));
    await setImmediate();
    const verdict = judgeCommand(command);
    return verdict.kind === "pass" ? JSON.stringify({ ...command, params: verdict.params }).length : 0;
  });
  assert.ok(result > 7_900_000);
  assert.ok(ms <= 100, `a turn of ${ms} ms`);
});

longTest("no message takes much longer to parse than plain text of the same length, for commands with long texts and for others", () => {
  const longest = ["Fetch.fulfillRequest", "Runtime.evaluate", "Page.navigate", "Network.setCookies"];
  const others = [...allowedMethods].filter((_, index) => index % 20 === 0);
  const slow: string[] = [];
  for (const [methods, bytes] of [
    [longest, lengthMax.text],
    [others, lengthMax.other],
  ] as const)
    for (const [index, method] of methods.entries()) {
      const plainMs = shortestOf(messageOf(method, "text", "A", bytes), () => false);
      for (const kind of ["text", "list"] as const)
        for (const [number, unit] of units[kind].entries()) {
          if ((index + number) % 4 !== 0) continue;
          // Plain text is copied in blocks; everything else is read character by character. Work that grows faster than its input takes
          // minutes.
          const allowedMs = 30 * plainMs + 100;
          const ms = shortestOf(messageOf(method, kind, unit, bytes), (shortest) => shortest <= allowedMs);
          if (ms > allowedMs) slow.push(`${method}, ${kind} of ${unit}: ${ms.toFixed()} ms instead of ${plainMs.toFixed()}`);
        }
    }
  assert.deepEqual(slow, []);
});
