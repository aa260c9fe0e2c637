/** Two browsers that change the same key. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "../support/scope.ts";
import { type FrontEnd, startFrontEnd } from "./front-end.ts";

const scope = fileScope();
let front: FrontEnd;
before(async () => {
  front = await startFrontEnd(scope);
});

/** The same key's page, open in two browsers of the same person. */
async function twoBrowsers(name: string) {
  const first = await front.signUp(name);
  const data = { name: "Blog", allowed_domains: ["example.com"] };
  const answer = await first.request.post("/v1/account/keys", { data, headers: { origin: front.origin } });
  const { key } = await answer.json();
  const second = await front.visit({ storageState: await first.context().storageState() });
  for (const page of [first, second]) {
    await page.goto(`/keys/${key.id}`);
    await page.getByLabel("Name", { exact: true }).waitFor();
  }
  const stored = async () => (await (await first.request.get(`/v1/account/keys/${key.id}`)).json()).key;
  return { first, second, stored };
}

test("the second one to save sees both changes and decides; what they did not touch stays", async () => {
  const { first, second, stored } = await twoBrowsers("Ada");
  await first.getByLabel("Name", { exact: true }).fill("Renamed by the first");
  await first.getByLabel("Web sites that may use it").fill("example.com\nexample.org");
  await first.getByRole("button", { name: "Save" }).click();
  await first.getByText("Key saved").waitFor();

  await second.getByLabel("Web sites that may use it").fill("example.com\nexample.net");
  await second.getByRole("button", { name: "Save" }).click();
  await second.getByRole("heading", { name: "This key was changed elsewhere meanwhile" }).waitFor();
  await second.getByRole("cell", { name: "example.org" }).waitFor();
  await second.getByRole("cell", { name: "example.net" }).waitFor();
  assert.deepEqual((await stored()).allowed_domains, ["example.com", "example.org"]);

  await second.getByRole("button", { name: "Save mine" }).click();
  await second.getByText("Key saved").waitFor();
  const { name, allowed_domains } = await stored();
  assert.equal(name, "Renamed by the first");
  assert.deepEqual(allowed_domains, ["example.com", "example.net"]);
});

test("the other's change can be taken instead", async () => {
  const { first, second, stored } = await twoBrowsers("Grace");
  await first.getByLabel("Name", { exact: true }).fill("First");
  await first.getByRole("button", { name: "Save" }).click();
  await first.getByText("Key saved").waitFor();
  await second.getByLabel("Name", { exact: true }).fill("Second");
  await second.getByRole("button", { name: "Save" }).click();
  await second.getByRole("button", { name: "Take the other" }).click();
  assert.equal(await second.getByLabel("Name", { exact: true }).inputValue(), "First");
  assert.equal((await stored()).name, "First");
});
