/** What is kept of a page's frames while the filter lists block its requests. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { listRule } from "../../src/capture/blocking/requests.ts";
import type { PausedRequest } from "../../src/capture/loading/interception.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const asked = (url: string, frameId: string, type: PausedRequest["type"] = "document"): PausedRequest => {
  return { url, frameId, type, method: "GET", headers: {}, isMainDocument: frameId === "main" };
};

/** By how many bytes the heap has grown after documents with URLs of `length` characters were requested for `count` frames. */
async function growth(count: number, length: number): Promise<number> {
  const { decide } = listRule(["ads"], "http://page.test/");
  await decide(asked("http://page.test/", "main"));
  await decide(asked("http://frame.test/", "first")); // loads the list
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let at = 0; at < count; at += 1)
    await decide(asked(Buffer.from(`http://frame.test/${at}/${"a".repeat(length)}`).toString(), `frame-${at}`));
  collectGarbage();
  const grown = process.memoryUsage().heapUsed - before;
  await decide(asked("http://frame.test/", "last")); // the rule is still in use
  return grown;
}

test("frames with very long URLs are not kept in memory", async () => {
  const bytes = await growth(300, 200_000);
  assert.ok(bytes < 10_000_000, `${bytes} bytes`);
});

test("frames that came and went are not kept in memory", async () => {
  const bytes = await growth(10_000, 2_000);
  assert.ok(bytes < 10_000_000, `${bytes} bytes`);
});
