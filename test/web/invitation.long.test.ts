/** Sign-up by invitation, in a real browser. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { resetPassword } from "../../src/accounts/people/passwords.ts";
import { createUser, setRole } from "../../src/accounts/people/users.ts";
import { fileScope } from "../support/scope.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

const scope = fileScope();
const password = "correct horse battery";
let dashboard: Dashboard;
before(async () => {
  dashboard = await startDashboard(scope, { SIGN_UP: "invite" });
});

/** An administrator who has signed in. */
async function administrator(email: string): Promise<Page> {
  const { database } = dashboard.service;
  await createUser(database, email, "Ada");
  await resetPassword(database, email, password);
  await setRole(database, email, "admin");
  const page = await dashboard.visit();
  await page.goto("/sign-in?to=/admin/invitations");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Invitations" }).waitFor();
  return page;
}

/** The link that the dialog shows after it has been filled in. */
async function invite(admin: Page, email: string): Promise<string> {
  await admin.getByRole("button", { name: "Create invitation" }).click();
  const dialog = admin.getByRole("dialog");
  await dialog.getByLabel("E-mail").fill(email);
  await dialog.getByLabel("Plan").selectOption({ label: "Pro" });
  await dialog.getByRole("button", { name: "Create invitation" }).click();
  const link = await admin.locator("[data-secret]").textContent();
  await admin.getByRole("button", { name: "Done" }).click();
  return link ?? "";
}

test("strangers see how to get access on the sign-up page instead of a form", async () => {
  const page = await dashboard.visit();
  await page.goto("/");
  await page.getByRole("link", { name: "Sign up" }).click();
  await page.getByText("by invitation").waitFor();
  await page.getByText("Ask an administrator").waitFor();
  assert.equal(await page.getByRole("textbox").count(), 0);
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

test("an administrator's invitation link lets one person sign up, on the chosen plan", async () => {
  const admin = await administrator("ada@example.com");
  const link = await invite(admin, "grace@example.com");
  await admin.getByRole("listitem").filter({ hasText: "grace@example.com" }).getByText("Pending").waitFor();

  const guest = await dashboard.visit();
  await guest.goto(link);
  await guest.getByText("Pro plan").waitFor();
  assert.equal(await guest.getByLabel("E-mail").inputValue(), "grace@example.com");
  await guest.getByLabel("Name").fill("Grace");
  await guest.getByLabel("Password").fill(password);
  await guest.getByRole("button", { name: "Create account" }).click();
  await guest.getByText("0 of 1,000 screenshots").waitFor();

  await admin.reload();
  await admin.getByRole("listitem").filter({ hasText: "grace@example.com" }).getByText("Used", { exact: true }).waitFor();
  const late = await dashboard.visit();
  await late.goto(link);
  await late.getByText("no longer valid").waitFor();
  assert.equal(await late.getByRole("textbox").count(), 0);
});

test("a revoked invitation stops working", async () => {
  const admin = await administrator("hedy@example.com");
  const link = await invite(admin, "joan@example.com");
  const row = admin.getByRole("listitem").filter({ hasText: "joan@example.com" });
  await row.getByRole("button", { name: "Revoke" }).click();
  await row.getByText("Revoked").waitFor();
  const guest = await dashboard.visit();
  await guest.goto(link);
  await guest.getByText("no longer valid").waitFor();
});
