/** Concurrent edits of a key in two browsers. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "../support/scope.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

const scope = fileScope();
let dashboard: Dashboard;
before(async () => {
  dashboard = await startDashboard(scope);
});

/** The same key's page, opened in two browsers of the same user. */
async function twoBrowsers(name: string) {
  const first = await dashboard.signUp(name);
  const data = { name: "Blog", allowed_domains: ["example.com"] };
  const response = await first.request.post("/v1/account/keys", { data, headers: { origin: dashboard.origin } });
  const { key } = await response.json();
  const second = await dashboard.visit({ storageState: await first.context().storageState() });
  for (const page of [first, second]) {
    await page.goto(`/keys/${key.id}`);
    await page.getByLabel("Name", { exact: true }).waitFor();
  }
  const stored = async () => (await (await first.request.get(`/v1/account/keys/${key.id}`)).json()).key;
  return { first, second, stored };
}

test("the second user to save sees both versions and chooses; fields they did not change keep their saved values", async () => {
  const { first, second, stored } = await twoBrowsers("Ada");
  await first.getByLabel("Name", { exact: true }).fill("Renamed by the first");
  await first.getByLabel("Allowed websites").fill("example.com\nexample.org");
  await first.getByRole("button", { name: "Save" }).click();
  await first.getByText("Key saved").waitFor();

  await second.getByLabel("Allowed websites").fill("example.com\nexample.net");
  await second.getByRole("button", { name: "Save" }).click();
  await second.getByRole("heading", { name: "This key has been changed in the meantime" }).waitFor();
  await second.getByRole("cell", { name: "example.org" }).waitFor();
  await second.getByRole("cell", { name: "example.net" }).waitFor();
  assert.deepEqual((await stored()).allowed_domains, ["example.com", "example.org"]);

  await second.getByRole("button", { name: "Save my version" }).click();
  await second.getByText("Key saved").waitFor();
  const { name, allowed_domains } = await stored();
  assert.equal(name, "Renamed by the first");
  assert.deepEqual(allowed_domains, ["example.com", "example.net"]);
});

test("the second user can discard their changes and use the saved version", async () => {
  const { first, second, stored } = await twoBrowsers("Grace");
  await first.getByLabel("Name", { exact: true }).fill("First");
  await first.getByRole("button", { name: "Save" }).click();
  await first.getByText("Key saved").waitFor();
  await second.getByLabel("Name", { exact: true }).fill("Second");
  await second.getByRole("button", { name: "Save" }).click();
  await second.getByRole("button", { name: "Use the saved version" }).click();
  assert.equal(await second.getByLabel("Name", { exact: true }).inputValue(), "First");
  assert.equal((await stored()).name, "First");
});
