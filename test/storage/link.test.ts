/** Signed links to stored images. */

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { createLinks } from "../../src/storage/link.ts";
import { createTestClock } from "../support/clock.ts";

const secret = "a-secret-of-at-least-32-characters";
const id = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";
const start = 1_700_000_000_000;

/** Links made with a clock that the test sets, and the parts of a link that is valid for an hour. */
function setUp() {
  const clock = createTestClock(new Date(start));
  const links = createLinks(secret, clock);
  const link = new URL(links.sign(id, "jpeg", 3600), "https://tintype.example");
  const expires = link.searchParams.get("expires") ?? "";
  const signature = link.searchParams.get("signature") ?? "";
  return { clock, links, link, expires, signature };
}

test("a signed link is valid until it expires", () => {
  const { clock, links, link, expires, signature } = setUp();
  assert.equal(link.pathname, `/v1/screenshots/${id}.jpg`);
  assert.equal(expires, "1700003600");
  clock.advance(3_599_999);
  assert.equal(links.verify(id, "jpg", expires, signature), true);
  clock.advance(1);
  assert.equal(links.verify(id, "jpg", expires, signature), false);
});

test("a link is valid on every replica with the same secret, and on no other", () => {
  const { clock, expires, signature } = setUp();
  assert.equal(createLinks(secret, clock).verify(id, "jpg", expires, signature), true);
  assert.equal(createLinks(`${secret}!`, clock).verify(id, "jpg", expires, signature), false);
});

test("a link with any changed part is invalid", () => {
  const { links, expires, signature } = setUp();
  const other = `${signature[0] === "A" ? "B" : "A"}${signature.slice(1)}`;
  const changed: [string, string, string, string][] = [
    [id.replace("0", "1"), "jpg", expires, signature],
    [id.toUpperCase(), "jpg", expires, signature],
    [id, "png", expires, signature],
    [id, "jpg", String(Number(expires) + 1), signature],
    [id, "jpg", `0${expires}`, signature],
    [id, "jpg", `${expires}.0`, signature],
    [id, "jpg", "9".repeat(400), signature],
    [id, "jpg", "", signature],
    [id, "jpg", expires, other],
    [id, "jpg", expires, signature.slice(1)],
    [id, "jpg", expires, `${signature}A`],
    [id, "jpg", expires, ""],
    [id, "jpg", expires, "ä".repeat(43)],
  ];
  for (const link of changed) assert.equal(links.verify(...link), false, link.join(" "));
  assert.equal(links.verify(id, "jpg", expires, signature), true);
});

test("a signature whose last character was changed is invalid, even if it decodes to the same bytes", () => {
  const { links, expires, signature } = setUp();
  const bytes = Buffer.from(signature, "base64url");
  const alike = Array.from(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
    (last) => signature.slice(0, -1) + last,
  ).filter((text) => text !== signature && Buffer.from(text, "base64url").equals(bytes));
  assert.equal(alike.length, 3);
  for (const other of alike) assert.equal(links.verify(id, "jpg", expires, other), false, other);
});

test("a signature made directly with the secret is invalid for a link", () => {
  const { links, expires } = setUp();
  const direct = createHmac("sha256", secret).update(`${id}.jpg\n${expires}`).digest("base64url");
  assert.equal(links.verify(id, "jpg", expires, direct), false);
});
