/** Per-account limits on progress streams and on canceled captures. */

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import type { FastifyReply } from "fastify";
import { canceledPerHourMax, createCanceledLimit } from "../../../src/accounts/usage/rate-limit.ts";
import { createSharedReads, createStreamLimit, streamsPerAccountMax } from "../../../src/http/batches/follow.ts";
import { createTestRedis } from "../../support/redis.ts";

test("an account can have 20 open streams per process; closing one frees it, and other accounts are not affected", () => {
  const open = createStreamLimit();
  const replies = Array.from({ length: streamsPerAccountMax + 1 }, () => ({ raw: new EventEmitter() }) as unknown as FastifyReply);
  const [first, ...others] = replies;
  assert.ok(first);
  for (const reply of [first, ...others.slice(1)]) open("one", reply);
  const more = others[0] as FastifyReply;
  assert.throws(() => open("one", more), {
    code: "rate_limited",
    message: /^The account already has 20 open batch streams: close one first/,
  });
  open("two", more);
  first.raw.emit("close");
  open("one", more);
  const left = { raw: Object.assign(new EventEmitter(), { closed: true }) } as unknown as FastifyReply;
  for (let count = 0; count < 30; count += 1) open("three", left);
});

test("600 streams of one batch share a single read every half second, and one read per page of results", async () => {
  let [reads, pages] = [0, 0];
  const shared = createSharedReads({
    find: async () => {
      reads += 1;
      return undefined;
    },
    ended: async () => {
      pages += 1;
      return [];
    },
  });
  await Promise.all(Array.from({ length: 600 }, () => shared.next("user", "batch")));
  await Promise.all(Array.from({ length: 600 }, () => shared.ended("batch", undefined)));
  assert.deepEqual([reads, pages], [1, 1]);
  await shared.next("user", "batch");
  assert.equal(reads, 2, "it is read again later");
});

test("an account that has canceled 10,000 batch captures within an hour can't create batches; others can", async (t) => {
  const { redis } = await createTestRedis(t);
  const limit = createCanceledLimit(redis);
  await limit.count("one", canceledPerHourMax - 1);
  await limit.assertWithin("one");
  await limit.count("one", 1);
  await assert.rejects(limit.assertWithin("one"), {
    code: "rate_limited",
    message: /has canceled 10000 batch captures within an hour/,
  });
  await limit.assertWithin("two");
});
