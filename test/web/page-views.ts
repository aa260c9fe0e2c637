/** The dashboard with data for every page, and how each page is opened, for the tests of accessibility and layout. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { eventually } from "../support/eventually.ts";
import { lastFirst, type Scope } from "../support/scope.ts";
import { colouredPage, createSite } from "../support/site.ts";
import { codeOf } from "../support/totp.ts";
import { assertAccessible } from "./accessible.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

export interface Pages {
  dashboard: Dashboard;
  /** Signed in as an administrator with keys, screenshots and webhooks. */
  full: Page;
  /** Signed in to a new account. */
  empty: Page;
  signedOut: Page;
  ids: Record<"key" | "screenshot" | "output" | "failed" | "missing" | "user" | "delivery" | "gone", string>;
  /** The query string of an invitation link. */
  invitation: string;
  /** URL of a page to capture. */
  target: string;
}

let started: Promise<Pages> | undefined;

/** The same pages for all tests of a process. They are closed with the first caller's scope. */
export async function startPages(outer: Scope): Promise<Pages> {
  started ??= start(outer);
  return await started;
}

async function start(outer: Scope): Promise<Pages> {
  const scope = lastFirst(outer);
  const site = await createSite(scope, {
    "/": colouredPage("#0a7", "<h1>A page</h1>"),
    "/unbroken": `<!doctype html><title>${"W".repeat(180)}</title><h1>A title without a break</h1>`,
    "/missing": (_request, response) => response.writeHead(404, { "content-type": "text/html" }).end("<h1>Nothing here</h1>"),
    "/gone": (_request, response) => response.writeHead(410, { "content-type": "text/plain" }).end("no more webhooks, please"),
  });
  const target = `${site.origin}/`;
  const dashboard = await startDashboard(scope, { EGRESS_ALLOWED_HOSTS: site.host, WEBHOOK_ALLOW_HTTP: "true" });
  const signedOut = await dashboard.visit();
  const empty = await dashboard.signUp("New Here");
  const full = await dashboard.signUp("Ada Lovelace");
  const withApp = await dashboard.signUp("With App");
  const change = (path: string, data: object) => withApp.request.post(path, { data, headers: { origin: dashboard.origin } });
  const app = await change("/v1/account/second-factor", { current_password: "correct horse battery" });
  await change("/v1/account/second-factor/confirm", { code: codeOf((await app.json()).uri) });
  await dashboard.service.pool.query("update users set role = 'admin' where name = 'Ada Lovelace'");
  const post = (path: string, data?: unknown) =>
    full.request.post(path, { ...(data ? { data } : {}), headers: { origin: dashboard.origin } });
  const { key } = await (
    await post("/v1/account/keys", { name: "Blog", allowed_domains: ["example.com", "*.example.com"], require_signature: true })
  ).json();
  let invitation = "";
  for (const body of [{}, { email: "grace@example.com", plan_id: "pro" }]) {
    const { link } = await (await post("/v1/admin/invitations", body)).json();
    invitation = new URL(link).search;
  }
  for (const [name, domains] of [
    ["shop", ["shop.example.com", "accounts.example.com", ".example.net"]],
    ["intranet", [".intranet.example.org"]],
  ] as const)
    await post("/v1/account/page-sessions", { name, state: { cookies: domains.map((domain) => ({ name: "sid", value: "1", domain })) } });
  for (const name of ["archive", "press"])
    await post("/v1/account/destinations", {
      name,
      endpoint: site.origin,
      bucket: "our-pages",
      access_key_id: "a",
      secret_access_key: "b",
    });
  await post("/v1/account/destinations/archive/test");
  await post(`/v1/account/playground?url=${site.origin}/`);
  await post(`/v1/account/playground?url=http://${site.host}/&selector=.nowhere`);
  await post(`/v1/account/playground?url=http://${site.host}/missing&explain=true`);
  const ids = { key: "", screenshot: "", output: "", failed: "", missing: "", user: "", delivery: "", gone: "" };
  ids.delivery = (await (await post("/v1/account/webhooks/test", { url: `${site.origin}/` })).json()).id;
  ids.gone = (await (await post("/v1/account/webhooks/test", { url: `${site.origin}/gone` })).json()).id;
  await eventually("both webhooks were sent", async () => {
    const { deliveries } = await (await full.request.get("/v1/account/webhooks/deliveries")).json();
    return deliveries.every(({ state }: { state: string }) => state !== "pending");
  });
  // An image is sent before its record is complete.
  let screenshots: { id: string; status: string; verdict: string }[] = [];
  await eventually("the history has all three", async () => {
    ({ screenshots } = await (await full.request.get("/v1/account/screenshots")).json());
    return screenshots.length === 3 && screenshots.every(({ status }) => status !== "pending");
  });
  const { users } = await (await full.request.get("/v1/admin/users")).json();
  ids.key = key.id;
  const idOf = (isIt: (one: (typeof screenshots)[number]) => boolean) =>
    screenshots.find(isIt)?.id ?? assert.fail(JSON.stringify(screenshots));
  ids.screenshot = idOf(({ verdict }) => verdict === "ok" || verdict === "unknown");
  ids.missing = idOf(({ verdict }) => verdict === "error_page");
  ids.failed = idOf(({ status }) => status === "failed");
  const outputs = [
    { name: "desktop" },
    { name: "phone", width: 390, format: "webp" },
    { name: "words", format: "text" },
    { selector: ".nowhere" },
  ];
  ids.output = (await (await post("/v1/account/playground/captures", { url: target, outputs })).json()).outputs[1].id;
  ids.user = users.find(({ name }: { name: string }) => name === "New Here").id;
  return { dashboard, full, empty, signedOut, ids, invitation, target };
}

/** Opens each page and brings it into the state to check. */
export const views: Record<string, (pages: Pages) => Promise<Page>> = {
  "sign-in": async (pages) => open(pages.signedOut, "/sign-in?error=account_not_linked"),
  "sign-up": async (pages) => open(pages.signedOut, "/sign-up"),
  "sign-in, code": async (pages) => {
    const page = await open(pages.signedOut, "/sign-in");
    await page.getByLabel("E-mail").fill("with.app@example.com");
    await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByLabel("Code").waitFor();
    return page;
  },
  "forgot password": async (pages) => open(pages.signedOut, "/forgot-password"),
  "reset password": async (pages) => open(pages.signedOut, "/reset-password?token=t"),
  "confirm e-mail": async (pages) => open(pages.signedOut, "/confirm-email?token=t"),
  "sign-up, invited": async (pages) => open(pages.signedOut, `/sign-up${pages.invitation}`),
  overview: async (pages) => open(pages.full, "/"),
  "overview, empty": async (pages) => open(pages.empty, "/"),
  "overview, first key": async (pages) => {
    const page = await pages.dashboard.signUp(`First ${crypto.randomUUID()}`);
    await page.setViewportSize(pages.full.viewportSize() ?? { width: 390, height: 844 });
    await open(page, "/");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByText("Waiting for your first request…").waitFor();
    return page;
  },
  playground: async (pages) => {
    const page = await open(pages.full, "/playground");
    await page.locator("summary", { hasText: "All options" }).click();
    for (const group of await page.locator("details details > summary").all()) await group.click();
    return page;
  },
  "playground, captured": async (pages) => {
    const page = await open(pages.full, `/playground?url=${encodeURIComponent(pages.target)}&full_page=true&viewport_device=iPhone+17`);
    await page.getByRole("button", { name: "Take screenshot" }).click();
    await page.getByRole("button", { name: "Copy image" }).waitFor();
    return page;
  },
  screenshots: async (pages) => open(pages.full, "/screenshots"),
  "screenshots, none": async (pages) => open(pages.empty, "/screenshots"),
  "screenshots, none that match": async (pages) => open(pages.full, "/screenshots?url=nowhere"),
  "screenshot, one of several outputs": async (pages) => {
    const page = await open(pages.full, `/screenshots/${pages.ids.output}`);
    await page.getByRole("navigation", { name: "Outputs of this capture" }).waitFor();
    return page;
  },
  "screenshots, list": async (pages) => {
    const page = await open(pages.full, "/screenshots?view=list");
    await page.getByRole("checkbox", { name: "Select all" }).check();
    return page;
  },
  search: async (pages) => {
    const page = await open(pages.full, "/plan");
    await page.keyboard.press("/");
    await page.getByRole("combobox").fill("127");
    await page.getByRole("option").first().waitFor();
    return page;
  },
  "account menu": async (pages) => {
    const page = await open(pages.full, "/plan");
    if (!(await page.getByRole("button", { name: "Account of" }).isVisible())) await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("button", { name: "Account of" }).click();
    return page;
  },
  "actions of a key": async (pages) => {
    const page = await open(pages.full, "/keys");
    await page.getByRole("button", { name: "Actions for Blog" }).click();
    return page;
  },
  "sign-in, incomplete": async (pages) => {
    const page = await open(pages.signedOut, "/sign-in");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("E-mail is required.").waitFor();
    return page;
  },
  screenshot: async (pages) => open(pages.full, `/screenshots/${pages.ids.screenshot}`),
  "screenshot, failed": async (pages) => open(pages.full, `/screenshots/${pages.ids.failed}`),
  "screenshot, error page": async (pages) => open(pages.full, `/screenshots/${pages.ids.missing}`),
  keys: async (pages) => open(pages.full, "/keys"),
  "keys, none": async (pages) => open(pages.empty, "/keys"),
  "new key": async (pages) => {
    const page = await open(pages.full, "/keys");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByLabel("Allowed websites").fill("bücher.example\n*.com");
    await page.getByText("anyone can register a domain").waitFor();
    return page;
  },
  key: async (pages) => open(pages.full, `/keys/${pages.ids.key}`),
  "revoke a key": async (pages) => {
    const page = await open(pages.full, `/keys/${pages.ids.key}`);
    await page.getByRole("button", { name: "Revoke" }).click();
    return page;
  },
  webhooks: async (pages) => open(pages.full, "/webhooks"),
  "webhooks, none": async (pages) => open(pages.empty, "/webhooks"),
  "webhooks, none that match": async (pages) => open(pages.full, "/webhooks?state=pending"),
  "send a test event": async (pages) => {
    const page = await open(pages.full, "/webhooks");
    await page.getByRole("button", { name: "Send a test event" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("URL is required.").waitFor();
    return page;
  },
  "webhook, delivered": async (pages) => open(pages.full, `/webhooks/${pages.ids.delivery}`),
  "webhook, failed": async (pages) => open(pages.full, `/webhooks/${pages.ids.gone}`),
  sessions: async (pages) => open(pages.full, "/sessions"),
  "sessions, none": async (pages) => open(pages.empty, "/sessions"),
  "save a session": async (pages) => {
    const page = await open(pages.full, "/sessions");
    await page.getByRole("button", { name: "Create session" }).click();
    await page.getByLabel("State", { exact: true }).fill("cookies");
    await page.getByRole("dialog").getByRole("button", { name: "Create session" }).click();
    await page.getByText("Name is required.").waitFor();
    return page;
  },
  "save a session, by steps": async (pages) => {
    const page = await open(pages.full, "/sessions");
    await page.getByRole("button", { name: "Create session" }).click();
    await page.getByRole("dialog").getByRole("radio", { name: "Sign in by steps" }).click();
    await page.getByLabel("Secret “password”", { exact: true }).waitFor();
    return page;
  },
  "actions of a session": async (pages) => {
    const page = await open(pages.full, "/sessions");
    await page.getByRole("button", { name: "Actions for intranet" }).click();
    return page;
  },
  destinations: async (pages) => open(pages.full, "/destinations"),
  "destinations, none": async (pages) => open(pages.empty, "/destinations"),
  "save a destination": async (pages) => {
    const page = await open(pages.full, "/destinations");
    await page.getByRole("button", { name: "Add destination" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Add destination" }).click();
    await page.getByText("Name is required.").waitFor();
    return page;
  },
  "test a destination": async (pages) => {
    const page = await open(pages.full, "/destinations");
    await page.getByRole("button", { name: "Actions for archive" }).click();
    await page.getByRole("button", { name: "Test" }).click();
    return page;
  },
  plan: async (pages) => open(pages.full, "/plan"),
  settings: async (pages) => open(pages.full, "/settings"),
  "set up an authenticator app": async (pages) => {
    const page = await open(pages.full, "/settings");
    await page.getByRole("button", { name: "Set up app" }).click();
    await page.getByRole("dialog").getByLabel("Current password").fill("correct horse battery");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("img", { name: "QR code" }).waitFor();
    return page;
  },
  "add a passkey": async (pages) => {
    const page = await open(pages.full, "/settings");
    await page.getByRole("button", { name: "Add passkey" }).click();
    return page;
  },
  "delete the account": async (pages) => {
    const page = await open(pages.full, "/settings");
    await page.getByRole("button", { name: "Delete account" }).click();
    return page;
  },
  administration: async (pages) => open(pages.full, "/admin"),
  users: async (pages) => open(pages.full, "/admin/users"),
  plans: async (pages) => open(pages.full, "/admin/plans"),
  "edit a plan": async (pages) => {
    const page = await open(pages.full, "/admin/plans");
    await page.getByRole("button", { name: "Edit Pro" }).click();
    return page;
  },
  invitations: async (pages) => open(pages.full, "/admin/invitations"),
  "activity of all accounts": async (pages) => open(pages.full, "/admin/activity"),
  activity: async (pages) => open(pages.full, "/settings/activity"),
  "new invitation": async (pages) => {
    const page = await open(pages.full, "/admin/invitations");
    await page.getByRole("button", { name: "Create invitation" }).click();
    return page;
  },
  "reset a password": async (pages) => {
    const page = await open(pages.full, `/admin/users/${pages.ids.user}`);
    await page.getByRole("button", { name: "Reset password" }).click();
    await page.getByRole("button", { name: "Create link" }).click();
    await page.locator("[data-secret]").waitFor();
    return page;
  },
  "a user": async (pages) => open(pages.full, `/admin/users/${pages.ids.user}`),
  "page not found": async (pages) => open(pages.full, "/nowhere"),
};

/** Resolves when the page has its heading and everything that it requested. */
export async function open(page: Page, path: string): Promise<Page> {
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
  return page;
}

/** Opens a view in a window of `width`, and checks it in these color schemes. */
export async function checkView(pages: Pages, name: string, width: number, schemes: ("light" | "dark")[]): Promise<void> {
  const view = views[name];
  assert.ok(view, name);
  for (const page of [pages.full, pages.empty, pages.signedOut]) await page.setViewportSize({ width, height: 844 });
  await assertAccessible(await view(pages), name, schemes);
  assert.deepEqual(pages.dashboard.errors, []);
}
