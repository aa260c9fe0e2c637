/** Messages that are no commands of the protocol. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCommand, withId } from "../../src/cdp/messages.ts";

test("what is wrong with a message is said, and a command is read without other members", () => {
  const wrong: [text: string, message: RegExp][] = [
    ["{", /not JSON/],
    ["[]", /not a JSON object/],
    ["null", /not a JSON object/],
    ['{"method":"Browser.getVersion"}', /needs an id/],
    ['{"id":-1,"method":"Browser.getVersion"}', /needs an id/],
    ['{"id":4294967296,"method":"Browser.getVersion"}', /needs an id/],
    ['{"id":1}', /needs a method/],
    ['{"id":1,"method":"Browser.getVersion","params":[]}', /params must be an object/],
    ['{"id":1,"method":"Browser.getVersion","sessionId":1}', /sessionId must be a string/],
    ['{"id":1,"guid":"","method":"initialize","params":{}}', /connectOverCDP/],
  ];
  for (const [text, message] of wrong) assert.throws(() => parseCommand(text), { message }, text);
  const text = '{"id":1,"method":"Page.navigate","method":"Page.reload","params":{"a":1},"sessionId":"b","other":2}';
  assert.deepEqual(parseCommand(text), { id: 1, method: "Page.reload", params: { a: 1 }, sessionId: "b" });
});

test("a response keeps everything but its id", () => {
  assert.equal(
    String(withId(Buffer.from('{"id":1000000001,"result":{"id":1000000001},"sessionId":"a"}'), 7)),
    '{"id":7,"result":{"id":1000000001},"sessionId":"a"}',
  );
});
