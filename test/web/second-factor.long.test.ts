/** Signing in with an authenticator app, a recovery code and a passkey, in a real browser. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { fileScope } from "../support/scope.ts";
import { codeOf } from "../support/totp.ts";
import { assertAccessibleAtAnySize } from "./accessible.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

const scope = fileScope();
const password = "correct horse battery";
let dashboard: Dashboard;
before(async () => {
  dashboard = await startDashboard(scope);
});

/** Sets up an app on the settings page; returns its URI and the recovery codes. */
async function setUpApp(page: Page): Promise<{ uri: string; recoveryCodes: string[] }> {
  await page.getByRole("button", { name: "Set up app" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Current password").fill(password);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("img", { name: "QR code" }).waitFor();
  const uri = `otpauth://totp/x?secret=${await dialog.locator("[data-secret]").textContent()}`;
  await dialog.getByRole("textbox", { name: "Code" }).fill("000000");
  await dialog.getByRole("button", { name: "Turn on" }).click();
  await dialog.getByText("Code is wrong.").waitFor();
  await dialog.getByRole("textbox", { name: "Code" }).fill(codeOf(uri));
  await dialog.getByRole("button", { name: "Turn on" }).click();
  await page.getByRole("heading", { name: "Your recovery codes" }).waitFor();
  await assertAccessibleAtAnySize(page, "recovery codes");
  const recoveryCodes = await page.locator("[data-recovery-codes] li").allTextContents();
  await page.getByRole("button", { name: "Done" }).click();
  return { uri, recoveryCodes };
}

async function enterPassword(email: string): Promise<Page> {
  const page = await dashboard.visit();
  await page.goto("/sign-in?to=/plan");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByLabel("Code").waitFor();
  return page;
}

test("an authenticator app can be set up; signing in then requires its code or a recovery code", async () => {
  const page = await dashboard.signUp("Ada");
  await page.goto("/settings");
  const { uri, recoveryCodes } = await setUpApp(page);
  assert.equal(recoveryCodes.length, 10);
  await page.getByRole("button", { name: "New recovery codes" }).waitFor();

  const withApp = await enterPassword("ada@example.com");
  await withApp.getByRole("button", { name: "Start again" }).click();
  await withApp.getByLabel("E-mail").fill("ada@example.com");
  await withApp.getByLabel("Password", { exact: true }).fill(password);
  await withApp.getByRole("button", { name: "Sign in", exact: true }).click();
  await withApp.getByLabel("Code").fill(codeOf(uri, 1)); // the current one was used to confirm the app
  await withApp.getByRole("button", { name: "Sign in", exact: true }).click();
  await withApp.getByRole("heading", { name: "Plan", exact: true }).waitFor();

  const withRecoveryCode = await enterPassword("ada@example.com");
  await withRecoveryCode.getByRole("button", { name: "Use a recovery code" }).click();
  await withRecoveryCode.getByLabel("Recovery code").fill("aaaaa-aaaaa");
  await withRecoveryCode.getByRole("button", { name: "Sign in", exact: true }).click();
  await withRecoveryCode.getByRole("textbox", { name: "Recovery code" }).and(withRecoveryCode.locator("[aria-invalid=true]")).waitFor();
  await withRecoveryCode.getByLabel("Recovery code").fill(recoveryCodes[0] ?? "");
  await withRecoveryCode.getByRole("button", { name: "Sign in", exact: true }).click();
  await withRecoveryCode.getByRole("heading", { name: "Plan", exact: true }).waitFor();

  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByRole("dialog").getByLabel("Current password").fill(password);
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByRole("button", { name: "Set up app" }).waitFor();
});

test("a passkey signs in without password and code, and no longer works once it is removed", async (t) => {
  const own = await startDashboard(t); // sign-ins are limited by address
  const page = await own.signUp("Grace");
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
  });
  await page.goto("/settings");
  await setUpApp(page);
  await page.getByRole("button", { name: "Add passkey" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Laptop");
  await dialog.getByLabel("Current password").fill(password);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Laptop").waitFor();
  await assertAccessibleAtAnySize(page, "settings with app and passkey");

  const signIn = async () => {
    await page.context().clearCookies();
    await page.goto("/sign-in?to=/plan");
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  };
  await signIn();
  await page.getByRole("heading", { name: "Plan", exact: true }).waitFor();

  // A device that its user has not unlocked is only one factor.
  await devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
  await signIn();
  await page.getByText("No passkey was used.").waitFor();
  await devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });
  await signIn();
  await page.getByRole("heading", { name: "Plan", exact: true }).waitFor();

  await page.goto("/settings");
  await page.getByRole("button", { name: "Remove Laptop" }).click();
  await page.getByText("Laptop").waitFor({ state: "detached" });
  await page.goto("/settings/activity");
  await page.getByRole("listitem").filter({ hasText: "Passkey added" }).getByText("Laptop").waitFor();
  await signIn();
  await page.getByText("not registered").waitFor();
});

test("if a second factor is required, every page redirects to setting one up, and opens afterwards", async (t) => {
  const strict = await startDashboard(t, { REQUIRE_SECOND_FACTOR: "everyone" });
  const page = await strict.signUp("Hedy");
  await page.goto("/keys");
  await page.getByText("This service requires a second factor.").waitFor();
  await assertAccessibleAtAnySize(page, "second factor required");
  await setUpApp(page);
  await page.goto("/keys");
  await page.getByRole("heading", { name: "No API keys yet" }).waitFor();
});
