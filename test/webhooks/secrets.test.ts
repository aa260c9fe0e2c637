/** Signing secrets: stored encrypted, shown once, rotated with an overlap. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { createSeal } from "../../src/shared/seal.ts";
import { signedHeaders } from "../../src/webhooks/deliver.ts";
import { createSecrets } from "../../src/webhooks/secrets.ts";
import { createAccount } from "../accounts/accounts.ts";
import { createTestDatabase } from "../support/database.ts";

const authSecret = "a secret for tests that is long enough";

test("encrypted text can be decrypted only with the same AUTH_SECRET and owner, and not if any byte is changed", () => {
  const seal = createSeal(authSecret, "webhook secrets");
  const sealed = seal.close("whsec_abc", "ada");
  assert.equal(seal.open(sealed, "ada"), "whsec_abc");
  assert.equal(seal.open(sealed, "grace"), undefined);
  assert.equal(createSeal("another secret", "webhook secrets").open(sealed, "ada"), undefined);
  assert.notDeepEqual(seal.close("whsec_abc", "ada"), sealed);
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    assert.equal(seal.open(changed, "ada"), undefined, String(index));
  }
  for (const length of [0, 5, 12, 20, 28]) assert.equal(seal.open(sealed.subarray(0, length), "ada"), undefined, String(length));
});

test("a secret is created on demand, shown once, and never stored as plain text", async (t) => {
  const database = await createTestDatabase(t);
  const { userId } = await createAccount(database);
  const secrets = createSecrets(createSeal(authSecret, "webhook secrets"));
  assert.equal(await secrets.state(database, userId), undefined);
  const [used] = await secrets.signing(database, userId);
  assert.deepEqual(await secrets.signing(database, userId), [used]);
  assert.equal((await secrets.state(database, userId))?.isShown, false);
  const shown = await secrets.show(database, userId);
  assert.equal(shown, used);
  assert.match(shown, /^whsec_[A-Za-z0-9+/]{43}=$/);
  await assert.rejects(secrets.show(database, userId), /already been shown and can't be shown again: rotate it/);
  assert.equal((await secrets.state(database, userId))?.isShown, true);
  const { rows } = await database.query("select s::text as row from webhook_secrets s");
  assert.ok(!rows[0].row.includes(shown.slice(6, 20)) && !rows[0].row.includes(Buffer.from(shown).toString("hex")));
});

test("a secret that can't be decrypted is not marked as shown, and can be rotated", async (t) => {
  const database = await createTestDatabase(t);
  const { userId } = await createAccount(database);
  const before = createSecrets(createSeal(authSecret, "webhook secrets"));
  await before.signing(database, userId);
  const after = createSecrets(createSeal("another secret that is long enough", "webhook secrets"));
  await assert.rejects(after.show(database, userId), /AUTH_SECRET has changed: rotate the webhook secret/);
  assert.equal((await after.state(database, userId))?.isShown, false);
  assert.match(await before.show(database, userId), /^whsec_/);
  assert.match(await database.transaction((transaction) => after.rotate(transaction, userId)), /^whsec_/);
});

test("concurrent requests create one secret, which only one of them gets", async (t) => {
  const database = await createTestDatabase(t);
  const { userId } = await createAccount(database);
  const secrets = createSecrets(createSeal(authSecret, "webhook secrets"));
  const shown = await Promise.allSettled(Array.from({ length: 5 }, () => secrets.show(database, userId)));
  assert.equal(shown.filter(({ status }) => status === "fulfilled").length, 1);
  assert.equal((await secrets.signing(database, userId)).length, 1);
});

test("after a rotation, both secrets verify a webhook; a day later only the new one does", async (t) => {
  const database = await createTestDatabase(t);
  const { userId } = await createAccount(database);
  const secrets = createSecrets(createSeal(authSecret, "webhook secrets"));
  const old = await secrets.show(database, userId);
  const renewed = await database.transaction((transaction) => secrets.rotate(transaction, userId));
  assert.notEqual(renewed, old);
  await assert.rejects(secrets.show(database, userId), /already been shown/);
  await assert.rejects(
    database.transaction((transaction) => secrets.rotate(transaction, userId)),
    /rotated within the last 24 hours/,
  );
  const until = (await secrets.state(database, userId))?.previousUntil;
  assert.ok(until && until.getTime() > Date.now() + 23 * 3_600_000);

  const body = '{"type":"test","data":{}}';
  const verifies = async (secret: string) => {
    const headers = signedHeaders(await secrets.signing(database, userId), "msg", body, new Date());
    try {
      new Webhook(secret).verify(body, headers);
      return true;
    } catch {
      return false;
    }
  };
  assert.deepEqual([await verifies(old), await verifies(renewed)], [true, true]);
  await database.query("update webhook_secrets set expires_at = now() where expires_at is not null");
  assert.deepEqual([await verifies(old), await verifies(renewed)], [false, true]);
  assert.equal((await secrets.state(database, userId))?.previousUntil, null);
});

test("after a change of AUTH_SECRET nothing is signed until the secret is rotated", async (t) => {
  const database = await createTestDatabase(t);
  const { userId } = await createAccount(database);
  await createSecrets(createSeal(authSecret, "webhook secrets")).show(database, userId);
  const secrets = createSecrets(createSeal("another secret that is long enough", "webhook secrets"));
  assert.deepEqual(await secrets.signing(database, userId), []);
  const renewed = await database.transaction((transaction) => secrets.rotate(transaction, userId));
  assert.deepEqual(await secrets.signing(database, userId), [renewed]);
});
