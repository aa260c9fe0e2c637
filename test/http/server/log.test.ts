/** The loggers of requests. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { FastifyBaseLogger } from "fastify";
import { pino } from "pino";
import { loggerOptions, quickWriter, requestLogger } from "../../../src/http/server/log.ts";

/** A logger, and the lines that it has written. */
function logAndLines(options: pino.LoggerOptions = {}) {
  const lines: string[] = [];
  return { log: pino({ ...loggerOptions, ...options }, { write: (line) => void lines.push(line) }), lines };
}

const withoutTime = (line: string | undefined) => line?.replace(/"time":\d+/, '"time":0');

test("a quickly written line is the one that the library writes", () => {
  const { log, lines } = logAndLines();
  const child = log.child({ component: "http" }, { redact: [] });
  const write = quickWriter(child);
  const fields = { reqId: "req_1", method: "GET", path: "/v1/x…", status: 200, ms: 3 };
  for (const level of ["debug", "info"] as const)
    for (const more of [
      { cache: undefined, timing: undefined },
      { cache: "HIT", timing: undefined },
      { cache: "MISS", timing: 'load;dur=1.0, wait;dur=2.5;desc="network idle"' },
    ]) {
      log.level = child.level = "debug";
      child[level]({ ...fields, ...more }, "answered");
      write?.(level, { ...fields, ...more }, "answered");
      const [theirs, ours] = lines.splice(0);
      assert.equal(withoutTime(ours), withoutTime(theirs));
      assert.equal(JSON.parse(ours ?? "").timing, more.timing);
    }
});

test("lines to which the logger adds fields, such as the trace, are left to the library", () => {
  const { log } = logAndLines();
  assert.equal(quickWriter(log.child({}, { formatters: { log: (line) => ({ trace: 1, ...line }) } })), undefined);
  assert.equal(quickWriter(logAndLines({ mixin: () => ({ trace: 1 }) }).log), undefined);
});

test("the logger of a request writes its id, and has the other loggers' levels and redaction", () => {
  const { log, lines } = logAndLines();
  const request = requestLogger(log as FastifyBaseLogger, { reqId: "req_1" });
  request.info({ api_key: "secret" }, "refused");
  request.debug("unheard");
  request.child({ part: 2 }).warn("late");
  assert.equal(request.level, "info");
  const [first, second, ...others] = lines.map((line) => JSON.parse(line));
  assert.deepEqual([first.reqId, first.api_key, first.msg], ["req_1", "[redacted]", "refused"]);
  assert.deepEqual([second.reqId, second.part, second.level], ["req_1", 2, 40]);
  assert.deepEqual(others, []);
});
