/** Page sessions in the dashboard, in a real browser: saved from a file and from a text, used, replaced, deleted. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileScope } from "../support/scope.ts";
import { createSite } from "../support/site.ts";
import { startDashboard } from "./dashboard.ts";

const scope = fileScope();
const site = await createSite(scope, {
  "/login": async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    if (new URLSearchParams(body).get("password") === secret)
      return void response.writeHead(303, { "set-cookie": "sid=by-steps", location: "/" }).end();
    response.setHeader("content-type", "text/html");
    response.end(
      "<h1>Sign in</h1><form method=post><input id=user name=user><input id=password type=password name=password><button>Sign in</button></form>",
    );
  },
  "/": ({ headers }, response) => void response.setHeader("content-type", "text/html").end(`<p>${headers.cookie ?? "nobody"}`),
});
const secret = "c00kie-very-secret";
const dashboard = await startDashboard(scope, { EGRESS_ALLOWED_HOSTS: "127.0.0.1" });

const stateOf = (value: string) => JSON.stringify({ cookies: [{ name: "sid", value, domain: "127.0.0.1", path: "/" }], origins: [] });

test("a user creates a session from a file, captures with it, replaces it by a text, and deletes it", async () => {
  const page = await dashboard.signUp("Ada Lovelace");
  await page.goto("/");
  await page.getByRole("link", { name: "Sessions" }).click();
  await page.getByText("No sessions yet").waitFor();
  await page.getByRole("button", { name: "Create session" }).click();
  const dialog = page.getByRole("dialog");
  const save = dialog.getByRole("button", { name: /^(Create|Replace) session$/ });
  await dialog.getByLabel("Name").fill("shop");
  await dialog.getByLabel("State", { exact: true }).fill("not a state");
  await save.click();
  await dialog.getByText("State is not JSON, as Playwright writes it.").waitFor();
  await dialog.getByLabel("State", { exact: true }).fill("{}");
  await save.click();
  await dialog.getByText("State must contain at least one cookie or origin.").waitFor();
  const file = { name: "state.json", mimeType: "application/json", buffer: Buffer.from(stateOf(secret)) };
  await dialog.getByLabel("File with the state").setInputFiles(file);
  await dialog.getByText("1 cookie and the storage of 0 origins.").waitFor();
  await save.click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Version 1, saved").waitFor();
  await page.getByText("127.0.0.1").waitFor();
  await page.getByText("Never used").waitFor();
  assert.ok(!(await page.content()).includes(secret));

  const captured = `/v1/account/playground?session=shop&format=text&url=${encodeURIComponent(`${site.origin}/`)}`;
  const taken = await page.request.post(captured, { headers: { origin: dashboard.origin } });
  assert.match(await taken.text(), new RegExp(`sid=${secret}`));
  await page.reload();
  await page.getByText("Used just now").waitFor();

  await page.getByRole("button", { name: "Actions for shop" }).click();
  await page.getByRole("button", { name: "Replace" }).click();
  await dialog.getByLabel("State", { exact: true }).fill(stateOf("second"));
  await save.click();
  await page.getByText("Version 2, saved").waitFor();

  await page.getByRole("button", { name: "Actions for shop" }).click();
  await page.getByRole("button", { name: "Replace" }).click();
  await dialog.getByRole("radio", { name: "Sign in by steps" }).click();
  await dialog.getByLabel("URL", { exact: true }).fill(`${site.origin}/login`);
  await dialog.getByLabel("Secret “user”").fill("ann");
  await dialog.getByLabel("Secret “password”", { exact: true }).fill("wrong");
  await save.click();
  await dialog
    .getByText("The session could not sign in: after the steps, the page still asks for a sign-in. Check the user name and password")
    .waitFor();
  await dialog.getByLabel("Secret “password”", { exact: true }).fill(secret);
  await save.click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Signed in just now").waitFor();
  assert.ok(!(await page.content()).includes(secret));

  await page.getByRole("button", { name: "Actions for shop" }).click();
  await page.getByRole("button", { name: "Sign in again" }).click();
  const again = page.getByRole("dialog", { name: "Sign in “shop” again?" });
  await again.getByRole("button", { name: "Sign in" }).click();
  await again.waitFor({ state: "detached" });
  await page.getByText("Signed in again").waitFor();

  await page.getByRole("button", { name: "Actions for shop" }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog", { name: "Delete “shop”?" }).getByRole("button", { name: "Delete" }).click();
  await page.getByText("No sessions yet").waitFor();
  await page.goto("/settings/activity");
  for (const action of ["Page session saved", "Page session replaced", "Page session deleted"])
    await page.getByText(action).first().waitFor();
  assert.deepEqual(
    dashboard.errors.filter((error) => !error.includes("400")),
    [],
  );
});

test("a session of the dashboard is refused without a sign-in before its body is read, and if it is too large", async () => {
  const page = await dashboard.signUp("Grace Hopper");
  const post = (text: string, send: typeof page.request.post) =>
    send("/v1/account/page-sessions", {
      data: Buffer.from(text),
      headers: { origin: dashboard.origin, "content-type": "application/json" },
    });
  const visitor = await dashboard.visit();
  const signedOut = await post("not JSON", visitor.request.post.bind(visitor.request));
  assert.deepEqual([signedOut.status(), (await signedOut.json()).code], [401, "not_signed_in"]);
  const signedIn = page.request.post.bind(page.request);
  assert.equal((await (await post("not JSON", signedIn)).json()).code, "invalid_parameters");
  const long = `{"name":"a","state":${JSON.stringify({ cookies: [], origins: "x".repeat(1024 * 1024) })}}`;
  assert.equal((await (await post(long, signedIn)).json()).code, "payload_too_large");
});
