/** Messages that wait for a later turn of the event loop, because earlier ones took long. */

import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { openPipe } from "../../src/browser/pipe.ts";

function keepBusy(ms: number): void {
  const busy = () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
  const before = process.threadCpuUsage();
  while (busy() < ms);
}

test("messages that are postponed stay in order while reading is paused and resumed", async () => {
  const messages = Array.from({ length: 400 }, (_, at) => `{"method":"Page.loadEventFired","params":{"timestamp":${at}}}`);
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()];
  const seen: string[] = [];
  await new Promise<void>((resolve) => {
    const onMessage = (message: Buffer) => {
      keepBusy(1);
      seen.push(message.toString());
      if (seen.length === messages.length) resolve();
    };
    const pipe = openPipe(toBrowser, fromBrowser, { onEventRead: () => {}, onMessage, onClose: () => {} });
    fromBrowser.write(messages.map((message) => `${message}\0`).join(""));
    const interval = setInterval(() => {
      pipe.pause();
      pipe.resume();
      if (seen.length === messages.length) clearInterval(interval);
    }, 1);
  });
  assert.deepEqual(seen, messages);
});
