/** Several outputs as one zip. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { fileName, zipOf } from "../../src/http/screenshots/zip-stream.ts";

const about = { format: "png" as const, capturedAt: 0, onMissing: () => {} };

test("a file that can't be read to its end cuts the zip off", async () => {
  async function* cut() {
    yield Buffer.alloc(100_000);
    throw new Error("the storage hung up");
  }
  const failing = Readable.from(cut());
  const zip = zipOf([{ ...about, name: "cut", open: async () => failing }], () => ({}));
  await assert.rejects(buffer(zip), /the storage hung up/);

  const closing = new Readable({ read() {} });
  closing.push(Buffer.alloc(100_000));
  const closed = zipOf([{ ...about, name: "closed", open: async () => closing }], () => ({}));
  await once(closed, "readable");
  closing.destroy();
  await assert.rejects(buffer(closed), /Premature close/);
});

test("a file is opened once those before it have been read", async () => {
  const opened: string[] = [];
  const first = new Readable({ read() {} });
  const open = (name: string, body: Readable) => async () => {
    opened.push(name);
    return body;
  };
  const zip = zipOf(
    [
      { ...about, name: "first", open: open("first", first) },
      { ...about, name: "second", open: open("second", Readable.from([Buffer.alloc(10)])) },
    ],
    () => ({}),
  );
  first.push(Buffer.alloc(10));
  await once(zip, "readable");
  assert.deepEqual(opened, ["first"]);
  first.push(null);
  await buffer(zip);
  assert.deepEqual(opened, ["first", "second"]);
});

test("no output's file has the name of capture.json or of a device of Windows", () => {
  assert.equal(fileName({ name: "Capture", format: "metadata" }), "~Capture.json");
  assert.equal(fileName({ name: "capture", format: "png" }), "capture.png");
  assert.equal(fileName({ name: "CON", format: "text" }), "~CON.txt");
  assert.equal(fileName({ name: "lpt1.front", format: "png" }), "~lpt1.front.png");
  assert.equal(fileName({ name: "console", format: "png" }), "console.png");
});
