/** Confirming an address and resetting a password with mailed links, in a real browser with a real mail server. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { resetPassword } from "../../src/accounts/people/passwords.ts";
import { confirmAddress, createUser } from "../../src/accounts/people/users.ts";
import { linkIn, type MailServer, startMailServer } from "../support/mail-server.ts";
import { fileScope } from "../support/scope.ts";
import { assertAccessibleAtAnySize } from "./accessible.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

const scope = fileScope();
const password = "correct horse battery";
let mail: MailServer;
let dashboard: Dashboard;
before(async () => {
  mail = await startMailServer(scope);
  dashboard = await startDashboard(scope, mail.settings);
});

test("a user signs up, confirms the address through a mailed link, and resets a forgotten password", async () => {
  const email = "grace@example.com";
  const page = await dashboard.visit();
  await page.goto("/sign-up");
  await page.getByLabel("Name").fill("Grace");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "Check your mail" }).waitFor();
  await assertAccessibleAtAnySize(page, "check your mail");

  await page.goto(linkIn(await mail.next(email)));
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Confirm address" }).click();
  await page.getByRole("heading", { name: "Your address is confirmed" }).waitFor();
  await assertAccessibleAtAnySize(page, "address confirmed");
  await page.getByRole("link", { name: "Sign in", exact: true }).click();
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "First steps" }).waitFor();

  const other = await dashboard.visit();
  await other.goto("/sign-in");
  await other.getByRole("link", { name: "Forgot your password?" }).click();
  await other.getByLabel("E-mail").fill(email);
  await other.getByRole("button", { name: "Send link" }).click();
  await other.getByRole("heading", { name: "Check your mail" }).waitFor();
  const link = linkIn(await mail.next(email));
  await other.goto(link);
  await other.getByLabel("New password").fill("a new and better password");
  await other.getByRole("button", { name: "Change password" }).click();
  await other.getByRole("heading", { name: "Your password is changed" }).waitFor();
  await assertAccessibleAtAnySize(other, "password changed");
  await other.getByRole("link", { name: "Sign in", exact: true }).click();
  await other.getByLabel("E-mail").fill(email);
  await other.getByLabel("Password", { exact: true }).fill("a new and better password");
  await other.getByRole("button", { name: "Sign in", exact: true }).click();
  await other.getByRole("heading", { name: "First steps" }).waitFor();
  await page.goto("/keys");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();

  await page.goto(link);
  await page.getByLabel("New password").fill(password);
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("has already been used").waitFor();
});

test("an unconfirmed address is shown in the settings, where a new link can be requested", async () => {
  const page = await dashboard.visit();
  const { database } = dashboard.service;
  const { email } = await createUser(database, "hedy@example.com");
  await resetPassword(database, email, password);
  await confirmAddress(database, email);
  await page.goto("/sign-in?to=/settings");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await dashboard.service.pool.query("update users set email_verified = false where email = $1", [email]); // as before mail was configured
  await page.reload();
  await page.getByText("This address is not confirmed.").waitFor();
  await assertAccessibleAtAnySize(page, "settings, unconfirmed");
  await page.getByRole("button", { name: "Send a confirmation mail" }).click();
  await page.goto(linkIn(await mail.next(email)));
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Confirm address" }).click();
  await page.getByRole("heading", { name: "Your address is confirmed" }).waitFor();
});

test("without mail, the forgotten-password page says whom to ask", async (t) => {
  const without = await startDashboard(t);
  const page = await without.visit();
  await page.goto("/sign-in");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await page.getByText("Ask its administrator").waitFor();
  assert.equal(await page.getByRole("textbox").count(), 0);
});
