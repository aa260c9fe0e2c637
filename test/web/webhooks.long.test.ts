/** Webhooks in the dashboard, in a real browser: the secret, a test event, resending, a paused URL. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { fileScope } from "../support/scope.ts";
import { type Receiver, startReceiver } from "../webhooks/receiver.ts";
import { answerWith } from "../webhooks/set-up.ts";
import { assertAccessibleAtAnySize } from "./accessible.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

const scope = fileScope();
let receiver: Receiver;
let dashboard: Dashboard;

before(async () => {
  receiver = await startReceiver(scope);
  dashboard = await startDashboard(scope, { EGRESS_ALLOWED_HOSTS: receiver.host, WEBHOOK_ALLOW_HTTP: "true" });
});

test("a user gets the secret, sends a test event that it verifies, and resends it", async () => {
  const page = await dashboard.signUp("Ada Lovelace");
  await page.goto("/");
  await page.getByRole("link", { name: "Webhooks" }).click();
  await page.getByText("Nothing has been sent yet").waitFor();
  await page.getByRole("button", { name: "Show secret" }).click();
  const secret = (await page.locator("[data-secret]").textContent()) ?? "";
  await assertAccessibleAtAnySize(page, "webhook secret");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByText("It can't be shown again: rotate it").waitFor();
  assert.ok(!(await page.content()).includes(secret));

  answerWith(receiver, 200, { "content-type": "text/plain" }, "Thanks <b>a lot</b>");
  await page.getByRole("button", { name: "Send a test event" }).click();
  await page.getByLabel("URL", { exact: true }).fill(`http://${receiver.host}/hook`);
  await page.getByRole("dialog").getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("Accepted with status 200.").waitFor();
  await page.getByText("Thanks <b>a lot</b>").waitFor();
  const [{ body, headers } = assert.fail()] = receiver.received;
  assert.equal((new Webhook(secret).verify(body, headers) as { type: string }).type, "test");

  // The second click comes before the response to the first one, however busy the machine is.
  const clicked = Promise.withResolvers<void>();
  await page.route("**/resend", async (route) => {
    await clicked.promise;
    await route.continue();
  });
  await page.getByRole("button", { name: "Send again" }).dblclick();
  clicked.resolve();
  await page.getByRole("heading", { name: "Try 2" }).waitFor();

  // The second click comes after the result of the first one.
  const again = page.getByRole("button", { name: "Send again" });
  await again.click();
  await page.getByRole("heading", { name: "Try 3" }).waitFor();
  const late = page.waitForResponse("**/resend");
  await again.dispatchEvent("click", { detail: 2 });
  const { delivery } = await (await late).json();
  assert.deepEqual([delivery.tries, delivery.state], [3, "delivered"]);
  assert.deepEqual(
    receiver.received.map((one) => one.headers["webhook-id"]),
    [headers["webhook-id"], headers["webhook-id"], headers["webhook-id"]],
  );
  assert.deepEqual(dashboard.errors, []);
});

test("rotating shows a new secret, and how long the old one still signs", async () => {
  const page = await dashboard.signUp("Grace Hopper");
  await page.goto("/webhooks");
  await page.getByRole("button", { name: "Show secret" }).click();
  const first = await page.locator("[data-secret]").textContent();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Rotate" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
  const second = await page.locator("[data-secret]").textContent();
  assert.notEqual(second, first);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("The previous one also signs until").waitFor();
  assert.ok(await page.getByRole("button", { name: "Rotate" }).isDisabled());
  assert.deepEqual(dashboard.errors, []);
});

test("a paused URL shows the reason and can be resumed; failed deliveries can be filtered", async () => {
  const page = await dashboard.signUp("Mary Jackson");
  answerWith(receiver, 410);
  await page.goto("/webhooks");
  await page.getByRole("button", { name: "Send a test event" }).click();
  await page.getByLabel("URL", { exact: true }).fill(`http://${receiver.host}/gone`);
  await page.getByRole("dialog").getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("alert").getByText("The receiver responded with 410 Gone: it doesn't want any more webhooks.").waitFor();
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByText("Webhooks to a URL are paused").waitFor();
  await page.getByRole("link", { name: "See why" }).click();
  await page.getByText("It responded with 410 Gone. Paused").waitFor();
  await page.getByRole("button", { name: `Resume http://${receiver.host}/gone` }).click();
  await page.getByRole("heading", { name: "Paused URLs" }).waitFor({ state: "detached" });
  await page.getByRole("radio", { name: "Delivered" }).click();
  await page.getByText("No matching deliveries.").waitFor();
  await page.getByRole("radio", { name: "Failed" }).click();
  await page.getByRole("link", { name: "test", exact: true }).click();
  await page.getByRole("heading", { name: "Try 1" }).waitFor();
  assert.deepEqual(dashboard.errors, []);
});
