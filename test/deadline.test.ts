/** The limit of a wait is for the wait, not for what it brought. */

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { createFileStore } from "../src/images/folder.ts";
import { inTime } from "../src/images/until-aborted.ts";
import { s3Store, startStorage, storageSettings } from "./images/storage-server.ts";
import { logLines } from "./screenshots/log-lines.ts";

const never = new AbortController().signal;
const timeoutMs = 1_000;
const picture = Buffer.alloc(3_000_000, "picture");

/** Over when as much time has passed as any wait has. */
async function waitInVain(): Promise<void> {
  await assert.rejects(
    inTime(() => new Promise(() => {}), timeoutMs),
    /no answer within 1000 ms/,
  );
}

test("a picture that was opened in time is read to its end after that time", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "tintype-test-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const stores = [createFileStore(folder, logLines().log), s3Store(t, storageSettings((await startStorage(t)).port))];
  for (const store of stores) {
    await store.prepare(never);
    await store.put("a", picture, { contentType: "image/png", metadata: {} }, never);
    const opened = await inTime((signal) => store.get("a", signal), timeoutMs);
    assert.ok(opened);
    await waitInVain();
    assert.ok(picture.equals(await buffer(opened.stream)));
  }
});

test("work that comes too late, or that nobody waits for any more, is told so by its signal", async () => {
  const gone = new AbortController();
  const reason = new Error("gone");
  const signals: AbortSignal[] = [];
  const work = (signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<never>(() => {});
  };
  const waiting = [inTime(work, timeoutMs), inTime(work, 60_000, gone.signal)];
  gone.abort(reason);
  await assert.rejects(waiting[1] as Promise<never>, reason);
  await assert.rejects(waiting[0] as Promise<never>, /no answer/);
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, true],
  );
});
