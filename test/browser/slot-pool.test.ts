/** The pool of browser slots. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createSlotPool } from "../../src/browser/queue.ts";
import { ClientGone } from "../../src/shared/errors.ts";
import { logLines } from "../screenshots/log-lines.ts";

test("a capture whose caller disconnects before it requests a browser neither gets nor starts one", async () => {
  let started = 0;
  const { acquire, pool } = createSlotPool({ slotsMax: 1, log: logLines().log }, async () => {
    started += 1;
    return {
      pid: () => 1,
      alive: () => true,
      isSpoiled: () => false,
      run: () => Promise.reject(),
      renew: async () => undefined,
      close: async () => {},
    };
  });
  await assert.rejects(acquire(AbortSignal.abort(new ClientGone())), ClientGone);
  assert.equal(started, 0);
  const slot = await acquire(new AbortController().signal);
  await assert.rejects(acquire(AbortSignal.abort(new ClientGone())), ClientGone, "even while the only slot is in use");
  assert.equal(pool.pending, 0);
  await pool.release(slot);
  await pool.drain();
  await pool.clear();
});
