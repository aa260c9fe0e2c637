/** Destinations in the dashboard, in a real browser: added, tested, used, replaced, deleted. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { bucket, startBucket } from "../accounts/destinations/set-up.ts";
import { accessKeyId, secretAccessKey } from "../storage/storage-server.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage, createSite } from "../support/site.ts";
import { startDashboard } from "./dashboard.ts";

const scope = fileScope();
const site = await createSite(scope, { "/": colouredPage("#0a7") });
const server = await startBucket(scope);
const dashboard = await startDashboard(scope, { EGRESS_ALLOWED_HOSTS: "127.0.0.1", WEBHOOK_ALLOW_HTTP: "true" });

test("a user adds a bucket with a wrong key, sees why the test fails, replaces the key, and finds the copy of a capture", async () => {
  const page = await dashboard.signUp("Ada Lovelace");
  await page.goto("/");
  await page.getByRole("link", { name: "Destinations" }).click();
  await page.getByText("No destinations yet").waitFor();
  await page.getByRole("button", { name: "Add destination" }).click();
  const dialog = page.getByRole("dialog");
  const save = dialog.getByRole("button", { name: /^(Add|Replace) destination$/ });
  await dialog.getByLabel("Name").fill("archive");
  await dialog.getByLabel("Endpoint").fill(`http://127.0.0.1:${server.port}`);
  await dialog.getByLabel("Bucket", { exact: true }).fill(bucket);
  await dialog.getByLabel("Key of each copy").fill("../{id}");
  await dialog.getByLabel("Access key ID").fill(accessKeyId);
  await dialog.getByLabel("Secret access key", { exact: true }).fill("wrong");
  await save.click();
  await dialog.getByText("Key of each copy must not begin or end with /").waitFor();
  await dialog.getByLabel("Key of each copy").fill("shots/{id}.{ext}");
  await save.click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Untested").waitFor();

  const tested = async (text: string | RegExp) => {
    await page.getByRole("button", { name: "Actions for archive" }).click();
    await page.getByRole("button", { name: "Test" }).click();
    await dialog.getByRole("button", { name: "Test", exact: true }).click();
    await dialog.getByText(text).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
  };
  await tested(/The bucket refused the access key/);
  await page.getByText("Fails").waitFor();

  await page.getByRole("button", { name: "Actions for archive" }).click();
  await page.getByRole("button", { name: "Replace" }).click();
  await dialog.getByLabel("Access key ID").fill(accessKeyId);
  await dialog.getByLabel("Secret access key", { exact: true }).fill(secretAccessKey);
  await save.click();
  await dialog.waitFor({ state: "detached" });
  await tested("It works: an object was written and deleted.");
  await page.getByText("Works").waitFor();
  assert.ok(!(await page.content()).includes(secretAccessKey));

  const path = `/v1/account/playground?destination=archive&response_type=json&url=${encodeURIComponent(`${site.origin}/`)}`;
  const taken = await page.request.post(path, { headers: { origin: dashboard.origin } });
  const { id, copy } = await taken.json();
  assert.equal(copy.key, `shots/${id}.jpg`, JSON.stringify(copy));
  await page.goto(`/screenshots/${id}`);
  await page.getByText(`shots/${id}.jpg`).waitFor();
  await page.goto("/webhooks");
  await page.getByRole("link", { name: "copy" }).first().waitFor();

  await page.goto("/destinations");
  await page.getByRole("button", { name: "Actions for archive" }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("No destinations yet").waitFor();
});
