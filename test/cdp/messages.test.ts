/** Messages that aren't commands of the protocol. */

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { assertBounded, parseCommand, withId } from "../../src/cdp/messages.ts";
import { judgeCommand } from "../../src/cdp/policy.ts";
import { relay } from "../../src/cdp/relay.ts";
import { longestTurnAtBest } from "../support/longest-turn.ts";

test("the error says what is wrong with a message; unknown members of a command are dropped", () => {
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
    [`{"id":1,"method":"${"x".repeat(101)}"}`, /method must have at most 100 characters/],
    [`{"id":1,"method":"Browser.getVersion","sessionId":"${"x".repeat(101)}"}`, /sessionId must have at most 100 characters/],
    ['{"id":1,"guid":"","method":"initialize","params":{}}', /connectOverCDP/],
  ];
  for (const [text, message] of wrong) assert.throws(() => parseCommand(text), { message }, text);
  const text = '{"id":1,"method":"Page.navigate","method":"Page.reload","params":{"a":1},"sessionId":"b","other":2}';
  assert.deepEqual(parseCommand(text), { id: 1, method: "Page.reload", params: { a: 1 }, sessionId: "b" });
});

test("nesting, number of values, and length for each command are checked before a message is parsed", () => {
  const megabyte = 1024 * 1024;
  const message = (method: string, params: string) => Buffer.from(`{"id":1,"params":${params},"method":"${method}"}`);
  const text = (length: number) => `{"a":"${"x".repeat(length)}"}`;
  const accepted = [
    message("Page.reload", text(0.9 * megabyte)),
    message("Runtime.callFunctionOn", text(7 * megabyte)),
    message("Fetch.fulfillRequest", text(7 * megabyte)),
    message("Runtime.callFunctionOn", `{"a":[${"1,".repeat(90_000)}1]}`),
    message("Runtime.callFunctionOn", `{"a":"${"[{,".repeat(100_000)}\\"${"[".repeat(500)}"}`),
    message("Runtime.callFunctionOn", `${'{"a":'.repeat(298)}{}${"}".repeat(298)}`),
  ];
  for (const one of accepted) assertBounded(one);
  const refused: [message: Buffer, code: number][] = [
    [message("Page.reload", text(1.1 * megabyte)), 1009],
    [message("Runtime.callFunctionOn", text(9 * megabyte)), 1009],
    [message("Fetch.fulfillRequest", text(9 * megabyte)), 1009],
    [Buffer.from(`{"id":1,"params":{"method":"Fetch.fulfillRequest","a":${text(2 * megabyte)}}}`), 1009],
    [message("Fetch.fulfillRequest", `{"a":[${"[],".repeat(megabyte)}1]}`), 1009],
    [message("Fetch.fulfillRequest", `{${'"a":1,'.repeat(megabyte)}"b":1}`), 1009],
    [message("Fetch.fulfillRequest", `${'{"a":'.repeat(300)}{}${"}".repeat(300)}`), 1007],
    [Buffer.alloc(megabyte, "["), 1007],
  ];
  for (const [one, code] of refused) assert.throws(() => assertBounded(one), { name: "BadMessage", code }, String(one.subarray(0, 80)));
});

test("a permission that isn't text is refused like an unknown one", () => {
  for (const other of ["camera", null, 1, { toString: 1 }, [{ toString: 1 }], { toString: null, valueOf: null }]) {
    const verdict = judgeCommand({ id: 1, method: "Browser.grantPermissions", params: { permissions: ["geolocation", other] } });
    assert.equal(verdict.kind, "refuse", JSON.stringify(other));
  }
});

test("a response is forwarded unchanged except for its id", () => {
  assert.equal(
    String(withId(Buffer.from('{"id":1000000001,"result":{"id":1000000001},"sessionId":"a"}'), 7)),
    '{"id":7,"result":{"id":1000000001},"sessionId":"a"}',
  );
});

test("a long command is checked, parsed and forwarded in three turns of the event loop; the client is paused, and later commands follow in order", async () => {
  let isPaused = false;
  const setPaused = (value: boolean) => () => {
    isPaused = value;
  };
  const socket = Object.assign(new EventEmitter(), { pause: setPaused(true), resume: setPaused(false) });
  const sent: [method: unknown, turn: number, isPaused: boolean][] = [];
  let turn = 0;
  const send = ({ method }: { method?: unknown }) => sent.push([method, turn, isPaused]);
  relay(socket as never, { admit: () => ({ send }) } as never, (code, reason) => assert.fail(`${code} ${reason}`));
  const long = { id: 1, method: "Runtime.evaluate", params: { expression: "x".repeat(2 * 1024 * 1024) } };
  for (const message of [long, { id: 2, method: "Page.reload" }]) socket.emit("message", Buffer.from(JSON.stringify(message)), false);
  for (; sent.length < 2; turn += 1) await new Promise(setImmediate);
  assert.deepEqual(
    [sent, isPaused],
    [
      [
        ["Runtime.evaluate", 2, true],
        ["Page.reload", 2, false],
      ],
      false,
    ],
  );
});

test("a URL of more than 2 MB, which Chromium would refuse, is refused before it is parsed", async () => {
  for (const [method, url] of [
    ["Page.navigate", `http://${"@".repeat(7_900_000)}a/`],
    ["Target.createTarget", `data:text/html,${"é".repeat(3_900_000)}`],
    ["Fetch.continueRequest", `http://a/?${"é".repeat(3_900_000)}`],
  ] as const) {
    const { result, ms } = await longestTurnAtBest(async () => judgeCommand({ id: 1, method, params: { url } }), 20);
    assert.deepEqual(result, { kind: "refuse", message: "Cannot navigate to invalid URL: url may have at most 2097152 characters." });
    assert.ok(ms <= 20, `${method}: a turn of ${ms} ms`);
  }
});
