/** Request signatures. */

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { createSignatures } from "../../../src/accounts/keys/restrictions.ts";
import { createQuery } from "../../../src/http/input/request-target.ts";
import { AppError } from "../../../src/shared/errors.ts";
import { createTestClock } from "../../support/clock.ts";

const start = 1_700_000_000_000;
const key = { id: "017f22e2-79b0-7cc3-98c4-dc0c0c07398f", requireSignature: true };
const query = "api_key=k&url=https%3A%2F%2Fexample.com%2F&width=100";

function setUp() {
  const clock = createTestClock(new Date(start));
  const signatures = createSignatures("a-secret-of-at-least-32-characters", clock);
  const sign = (text: string) => createHmac("sha256", signatures.secretOf(key.id)).update(text).digest("hex");
  /** The reason why the query is refused; undefined if it is accepted. */
  const refusal = (text: string, requireSignature = true) => {
    try {
      signatures.assertSigned({ ...key, requireSignature }, createQuery(text).pairs);
      return undefined;
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === "signature_invalid");
      return error.message;
    }
  };
  return { clock, sign, refusal };
}

test("a signature covers the query as sent, wherever the signature parameter is", () => {
  const { sign, refusal } = setUp();
  const signature = sign(query);
  assert.equal(refusal(`${query}&signature=${signature}`), undefined);
  assert.equal(refusal(`signature=${signature}&${query}`), undefined);
  assert.equal(refusal(query.replace("&width", `&signature=${signature}&width`)), undefined);
  assert.equal(refusal(`${query}&&signature=${sign(`${query}&`)}`), undefined);
  for (const other of [
    query.replace("%2F", "%2f"),
    query.replace("100", "101"),
    `${query}&`,
    `&${query}`,
    query.replace("width=100", "width=1%300"),
  ])
    assert.match(refusal(`${other}&signature=${signature}`) ?? "", /does not match/, other);
});

test("only 64 lowercase hex digits are a valid signature", () => {
  const { sign, refusal } = setUp();
  const signature = sign(query);
  const others = [signature.toUpperCase(), `${signature}0`, signature.slice(1), `${signature}g`, ` ${signature}`, "", `0x${signature}`];
  for (const other of others) assert.ok(refusal(`${query}&signature=${encodeURIComponent(other)}`), other);
  const oneUpper = signature.replace(/[a-f]/, (digit) => digit.toUpperCase());
  assert.match(refusal(`${query}&signature=${oneUpper}`) ?? "", /lower case/);
});

test("the names of signature and expires are parsed like all parameter names", () => {
  const { sign, refusal } = setUp();
  for (const name of ["signature[]", "signature%5B%5D", "%73ignature", "signature[0]"])
    assert.equal(refusal(`${query}&${name}=${sign(query)}`), undefined, name);
  const past = Math.floor(start / 1000);
  for (const name of ["expires", "expires[]", "expires%5B0%5D", "%65xpires"])
    for (const required of [true, false]) {
      const expired = `${query}&${name}=${past}`;
      assert.match(refusal(`${expired}&signature=${sign(expired)}`, required) ?? "", /expired/, name);
    }
  assert.match(refusal(`${query}&?signature=${sign(query)}`) ?? "", /accepts only signed requests/);
});

test("two signatures are refused, as are two expiry times one of which has passed", () => {
  const { sign, refusal } = setUp();
  assert.ok(refusal(`${query}&signature=${sign(query)}&signature=${"0".repeat(64)}`));
  const both = `${query}&expires=${start / 1000 + 60}&expires=${start / 1000 - 60}`;
  assert.match(refusal(`${both}&signature=${sign(both)}`) ?? "", /expired/);
});

test("a signed request is refused once it has expired", () => {
  const { clock, sign, refusal } = setUp();
  const limited = `${query}&expires=${start / 1000 + 60}`;
  const signed = `${limited}&signature=${sign(limited)}`;
  assert.equal(refusal(signed), undefined);
  clock.advance(60_000);
  assert.match(refusal(signed) ?? "", /expired/);
});
