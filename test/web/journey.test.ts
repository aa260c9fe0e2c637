/** A person's whole way through the front end, in a real browser. */

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { fileScope } from "../support/scope.ts";
import { colouredPage, createSite, type Site } from "../support/site.ts";
import { type FrontEnd, startFrontEnd } from "./front-end.ts";

const scope = fileScope();
let site: Site;
let front: FrontEnd;
before(async () => {
  site = await createSite(scope, { "/": colouredPage("#0a7") });
  front = await startFrontEnd(scope, { EGRESS_ALLOWED_HOSTS: site.host });
});

const take = (key: string) => front.service.take({ api_key: key, url: `${site.origin}/` }, { referer: "https://example.com/" });
const shownSecret = (page: Page) => page.locator("[data-secret]").textContent();

/** What was changed in the database behind the service's back reaches it a moment later. */
async function refused(page: Page, key: string): Promise<void> {
  let status = 200;
  while (status === 200) {
    ({ status } = await take(key));
    await page.waitForTimeout(20);
  }
  assert.equal(status, 403);
}

test("from sign-up over the first picture to a revoked key", async () => {
  const page = await front.visit();
  await page.goto("/");
  await page.getByRole("link", { name: "Sign up" }).click();
  await page.getByLabel("Name").fill("Ada");
  await page.getByLabel("E-mail").fill("ada@example.com");
  await page.getByLabel("Password").fill("correct horse battery");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "First steps" }).waitFor();
  await page.getByText("0 of 100 pictures").waitFor();

  // A key is shown once.
  await page.getByRole("link", { name: "API keys" }).click();
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Blog");
  await page.getByLabel("Web sites that may use it").fill("example.com");
  await page.getByLabel("Would this page be allowed?").fill("https://www.example.com/blog");
  await page.getByText("Refused.").waitFor();
  await page.getByLabel("Would this page be allowed?").fill("example.com/blog");
  await page.getByText("Allowed.").waitFor();
  await page.getByRole("button", { name: "Make key" }).click();
  await page.getByRole("heading", { name: "Your new key" }).waitFor();
  const key = (await shownSecret(page)) ?? "";
  assert.match(key, /^ss_[0-9A-Za-z]{36}$/);
  assert.equal((await take(key)).status, 200);
  await page.reload();
  await page.getByRole("link", { name: "Blog" }).waitFor();
  assert.ok(!(await page.content()).includes(key));

  // The playground takes a picture with the session.
  await page.getByRole("link", { name: "Playground" }).click();
  await page.getByLabel("Address").fill(`${site.origin}/`);
  await page.getByLabel("width", { exact: true }).fill("640");
  await page.getByRole("button", { name: "Take screenshot" }).click();
  await page.getByText("640 × 720 pixels").waitFor();
  await page.waitForURL(/\?url=.*&width=640$/);

  // It is in the gallery, and both are counted.
  await page.getByRole("link", { name: "Screenshots" }).click();
  await page.getByRole("heading", { name: "Screenshots" }).waitFor();
  const address = site.origin.replace("http://", "");
  assert.equal(await page.getByRole("link", { name: address }).count(), 2);
  await page.getByRole("link", { name: address }).first().click();
  await page.getByText("640 × 720 pixels").waitFor();
  await page.getByRole("img", { name: "Screenshot of" }).waitFor();
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByText("2 of 100 pictures").waitFor();

  // Rotated, the old key works in its grace and not after it.
  await page.getByRole("link", { name: "API keys" }).click();
  await page.getByRole("link", { name: "Blog" }).click();
  await page.getByRole("button", { name: "Rotate" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
  await page.getByRole("heading", { name: "The new key" }).waitFor();
  const next = (await shownSecret(page)) ?? "";
  assert.notEqual(next, key);
  assert.equal((await take(key)).status, 200);
  assert.equal((await take(next)).status, 200);
  await front.service.pool.query("update api_keys set expires_at = now() where replaced_by is not null");
  await refused(page, key);

  // Revoked, it is refused at once.
  await page.getByRole("button", { name: "I have it" }).click();
  await page.getByText("Active", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("button", { name: "Revoke for good" }).click();
  await page.getByText("It will never work again.").waitFor();
  assert.equal((await take(next)).status, 403);
  assert.deepEqual(front.complaints, []);
});

test("a key that takes signed requests only shows its owner the secret to sign with", async () => {
  const page = await front.signUp("Hedy");
  await page.goto("/keys");
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Signed");
  await page.getByText("What may be captured, signed requests, how long").click();
  await page.getByLabel("Signed requests only").check();
  await page.getByRole("button", { name: "Make key" }).click();
  const key = (await shownSecret(page)) ?? "";
  assert.equal((await take(key)).status, 403);
  await page.getByRole("button", { name: "I have it" }).click();
  await page.getByRole("link", { name: "Signed" }).click();
  await page.getByRole("button", { name: "Show the signing secret" }).click();
  const secret = (await page.locator("code.control").textContent()) ?? "";
  const query = `${new URLSearchParams({ api_key: key, url: `${site.origin}/` })}`;
  const signature = createHmac("sha256", secret).update(query).digest("hex");
  assert.equal((await fetch(`${front.service.origin}/v1/screenshots/take?${query}&signature=${signature}`)).status, 200);
});

test("signed out, nothing of the account is left in the browser, and one comes back to where one was", async () => {
  const page = await front.signUp("Grace");
  await page.goto("/plan");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.ok(!(await page.content()).includes("Grace"));
  await page.goto("/settings");
  await page.getByLabel("E-mail").fill("grace@example.com");
  await page.getByLabel("Password").fill("wrong horse battery");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Password").fill("correct horse battery");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  assert.equal(await page.getByLabel("Name").inputValue(), "Grace");
});

test("a session that is ended elsewhere leads to the sign-in", async () => {
  const page = await front.signUp("Joan");
  await page.goto("/keys");
  await page.getByRole("heading", { name: "No key yet" }).waitFor();
  await front.service.pool.query("delete from sessions where user_id = (select id from users where email = 'joan@example.com')");
  await page.getByRole("link", { name: "Screenshots" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.match(page.url(), /\/sign-in\?to=/);
});

test("while the service is away the page says so, and goes on when it is back", async () => {
  const page = await front.signUp("Rosalind");
  await page.route("/v1/**", (route) =>
    route.fulfill({ status: 503, json: { message: "The service can't be reached right now.", code: "unavailable" } }),
  );
  await page.goto("/plan");
  await page.getByRole("heading", { name: "This could not be loaded" }).waitFor();
  await page.getByText("The service can't be reached right now.").waitFor();
  await page.unroute("/v1/**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Plan" }).waitFor();
});
