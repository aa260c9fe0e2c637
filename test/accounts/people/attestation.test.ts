/** The attestation of a new passkey is removed, whatever its format. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutAttestation } from "../../../src/accounts/people/attestation.ts";

const inBase64 = (latin1: string) => Buffer.from(latin1, "latin1").toString("base64url");
const format = (name: string) => `\x63fmt${String.fromCharCode(0x60 + name.length)}${name}`;
const data = `\x68authData\x58\x40${"d".repeat(64)}`;
const none = inBase64(`\xa3${format("none")}\x67attStmt\xa0${data}`);

test("a passkey's attestation of any format, in any order, becomes one without certificates", async () => {
  const statements = { none: "\xa0", packed: "\xa2\x63alg\x26\x63sig\x43abc", apple: "\xa1\x63x5c\x81\x59\x01\x00" + "c".repeat(256) };
  for (const [name, statement] of Object.entries(statements)) {
    const entries = [format(name), `\x67attStmt${statement}`, data];
    for (const order of [entries, entries.toReversed(), [entries[1], entries[2], entries[0]]])
      assert.equal(await withoutAttestation(inBase64(`\xa3${order.join("")}`)), none, name);
  }
});

test("what isn't an attestation object becomes an empty text", async () => {
  const nested = "\x81".repeat(100_000);
  const texts = ["", "\xa3", "\xa1" + format("none"), `\xa3${format("apple")}\x67attStmt${nested}`, "\x40", `\xa1\x68authData\x01`];
  const lengths = [
    `\xa3${format("none")}\x67attStmt\xbb\xff\xff\xff\xff\xff\xff\xff\xff`,
    `\xa3${format("none")}\x67attStmt\xba\xff\xff\xff\xff`,
    `\xa3\x7f`,
  ];
  for (const text of [...texts, ...lengths, `\xa3${format("none")}\x67attStmt\xa0\x68authData\x78\x40`])
    assert.equal(await withoutAttestation(inBase64(text)), "");
  for (const other of [undefined, null, 1, {}, ["a"]]) assert.equal(await withoutAttestation(other), "");
});
