/** Deadlines: results of late work, and cleanup. */

import assert from "node:assert/strict";
import { glob, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { abortAfter, onAbort, timeoutSignal, untilAborted, withDeadline } from "../../src/shared/deadline.ts";
import { createFileStore } from "../../src/storage/folder.ts";
import { logLines } from "../screenshots/log-lines.ts";
import { s3Store, startStorage, storageSettings } from "../storage/storage-server.ts";

const never = new AbortController().signal;
const timeoutMs = 1_000;
const picture = Buffer.alloc(3_000_000, "picture");

/** Waits as long as the longest deadline in these tests. */
async function waitInVain(): Promise<void> {
  await assert.rejects(
    abortAfter(timeoutMs, () => new Promise(() => {})),
    /no response within 1000 ms/,
  );
}

test("an image opened before its deadline can still be read completely after it", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "tintype-test-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const stores = [createFileStore(folder, logLines().log), s3Store(t, storageSettings((await startStorage(t)).port))];
  for (const store of stores) {
    await store.prepare(never);
    await store.put("a", picture, { contentType: "image/png", metadata: {} }, never);
    const opened = await abortAfter(timeoutMs, (signal) => store.get("a", signal));
    assert.ok(opened);
    await waitInVain();
    assert.ok(picture.equals(await buffer(opened.stream)));
  }
});

test("the signal aborts at the deadline, and when the caller disconnects", async () => {
  const gone = new AbortController();
  const reason = new Error("gone");
  const signals: AbortSignal[] = [];
  const work = (signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<never>(() => {});
  };
  const waiting = [abortAfter(timeoutMs, work), abortAfter(60_000, work, gone.signal)];
  gone.abort(reason);
  await assert.rejects(waiting[1] as Promise<never>, reason);
  await assert.rejects(waiting[0] as Promise<never>, /no response/);
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, true],
  );
});

test("work that completes before its deadline settles with its own result", async () => {
  const tooLate = () => assert.fail("the deadline was reached");
  assert.equal(await withDeadline(Promise.resolve("answer"), 60_000, tooLate), "answer");
  await assert.rejects(withDeadline(Promise.reject(new Error("broken")), 60_000, tooLate), /broken/);
  assert.equal(await withDeadline(Promise.resolve("answer"), Number.POSITIVE_INFINITY, tooLate), "answer");
});

test("work that misses its deadline settles with the result of onTimeout, and its later failure is ignored", async () => {
  const work = Promise.withResolvers<string>();
  const fallback = withDeadline(work.promise, 1, () => "fallback");
  const failure = withDeadline(work.promise, 1, () => {
    throw new Error("too late");
  });
  assert.equal(await fallback, "fallback");
  await assert.rejects(failure, /too late/);
  work.reject(new Error("nobody waits for this one")); // if it were unhandled, it would fail the test
  await new Promise(setImmediate);
});

test("a wait rejects with the reason of its signal, even if it was already aborted", async () => {
  const reason = new Error("gone");
  const never = new Promise(() => {});
  await assert.rejects(untilAborted(never, AbortSignal.abort(reason)), reason);
  const signal = timeoutSignal(1, () => reason);
  assert.equal(signal.aborted, false);
  const alive = setTimeout(() => {}, 60_000); // the signal's own timer doesn't keep a process alive
  await assert.rejects(untilAborted(never, signal), reason);
  clearTimeout(alive);
});

test("onAbort calls its listener even if the signal has already aborted, and is used everywhere", async () => {
  const gone = new AbortController();
  const seen: string[] = [];
  onAbort(gone.signal, () => seen.push("first"));
  onAbort(gone.signal, () => seen.push("removed"))();
  gone.abort();
  onAbort(gone.signal, () => seen.push("late"));
  assert.deepEqual(seen, ["first", "late"]);
  const files: string[] = [];
  for await (const file of glob("src/**/*.{ts,js}"))
    if (/(addEventListener|once|on)\(["']abort["']/.test(await readFile(file, "utf8"))) files.push(file);
  // The egress filter imports only Node's own modules, and checks for itself.
  const checking = ["dial", "resolve", "upstream"].map((name) => `src/egress/${name}.ts`);
  assert.deepEqual(files.sort(), [...checking, "src/shared/deadline.ts"]);
});
