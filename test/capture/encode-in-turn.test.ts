/** Large images are encoded one or two at a time, and accounts take turns. */

import assert from "node:assert/strict";
import { test } from "node:test";
import sharp from "sharp";
import type { Tab } from "../../src/browser/tab.ts";
import { encodeInTurn } from "../../src/capture/image/encode-in-turn.ts";

const large = { format: "avif" as const, pixels: 2_000_000 };
/** The part of a tab that ends with its capture. */
const tabUntil = (ended: Promise<never>) =>
  ({ resultWithin: (_ms: number, result: Promise<unknown>) => Promise.race([result, ended]) }) as unknown as Tab;
const tab = tabUntil(new Promise(() => {}));

function createEncoder() {
  const order: string[] = [];
  let running = 0;
  let runningMax = 0;
  return {
    order,
    runningMax: () => runningMax,
    encode: (account: string) => async () => {
      order.push(account);
      running += 1;
      runningMax = Math.max(runningMax, running);
      const image = sharp({ create: { width: 400, height: 400, channels: 3, background: "#123456" } });
      const bytes = await image.avif({ effort: 0 }).toBuffer();
      running -= 1;
      return bytes;
    },
  };
}

test("large AVIF images are encoded one at a time, and the account that has waited longest is next", async () => {
  const { order, runningMax, encode } = createEncoder();
  const all = ["one", "one", "one", "other"].map((account) => encodeInTurn({ tab, account }, large, encode(account)));
  for (const bytes of await Promise.all(all)) assert.ok(bytes.length > 0);
  assert.deepEqual([order, runningMax()], [["one", "other", "one", "one"], 1]);
});

test("other large images are encoded two at a time, one of each account", async () => {
  const { order, runningMax, encode } = createEncoder();
  const webp = { format: "webp" as const, pixels: 2_000_000 };
  const all = ["one", "one", "one", "other", "third"].map((account) => encodeInTurn({ tab, account }, webp, encode(account)));
  await Promise.all(all);
  assert.deepEqual([order.slice(0, 2), order.slice(-2), runningMax()], [["one", "other"], ["one", "one"], 2]);
});

test("small images don't wait", async () => {
  const { runningMax, encode } = createEncoder();
  const small = (["avif", "webp", "png"] as const).map((format) => ({ format, pixels: 1_999_999 }));
  await Promise.all(small.map((of) => encodeInTurn({ tab, account: "one" }, of, encode("one"))));
  assert.equal(runningMax(), 3);
});

test("a capture that ends while it waits leaves the queue; a failure doesn't block the next image", async () => {
  const { order, encode } = createEncoder();
  const failed = encodeInTurn({ tab, account: "one" }, large, async () => {
    throw new Error("not an image");
  });
  const ended = Promise.withResolvers<never>();
  const left = encodeInTurn({ tab: tabUntil(ended.promise), account: "two" }, large, encode("two"));
  ended.reject(new Error("the caller has left"));
  await assert.rejects(left, /the caller has left/);
  await assert.rejects(failed, /not an image/);
  await encodeInTurn({ tab, account: "three" }, large, encode("three"));
  assert.deepEqual(order, ["three"]);
});
