/** Watches in the dashboard, in a real browser: from a screenshot to a change that is viewed, accepted, muted and delivered. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { eventually } from "../support/eventually.ts";
import { fileScope } from "../support/scope.ts";
import { createSite, type Site } from "../support/site.ts";
import { type Receiver, startReceiver } from "../webhooks/receiver.ts";
import { answerWith } from "../webhooks/set-up.ts";
import { assertAccessible, assertAccessibleAtAnySize } from "./accessible.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

const scope = fileScope();
let site: Site;
let receiver: Receiver;
let dashboard: Dashboard;
/** Three runs that learn, on a busy machine. */
const learningMs = 180_000;

before(async () => {
  site = await createSite(scope);
  receiver = await startReceiver(scope);
  dashboard = await startDashboard(scope, {
    EGRESS_ALLOWED_HOSTS: `${site.host},${receiver.host}`,
    WEBHOOK_ALLOW_HTTP: "true",
    WATCH_INTERVAL_MIN_SECONDS: "1",
  });
});

/** A page with a price, and a number of visits, which changes by itself. */
function serveShop(path: string): { price: string } {
  const state = { price: "19 €" };
  let visits = 0;
  site.serve({
    [path]: (_request, response) => {
      visits += 1;
      const body = `<h1>Kettles</h1><p class="price">Price: ${state.price}</p><p class="end">All prices with tax.</p><p class="visits">Visit ${visits * 1117}</p>`;
      response
        .writeHead(200, { "content-type": "text/html; charset=utf-8" })
        .end(`<!doctype html><title>Shop</title><style>body{font:20px/1.5 sans-serif;margin:20px}</style>${body}`);
    },
  });
  return state;
}

const post = (page: Page, path: string, data?: object) =>
  page.request.post(path, { ...(data ? { data } : {}), headers: { origin: dashboard.origin } });

/** Creates a watch over HTTP; resolves with its id once it has finished learning. */
async function learned(page: Page, path: string, more: object = {}): Promise<string> {
  const made = await post(page, "/v1/account/watches", { url: `${site.origin}${path}`, width: 500, height: 400, every: "30d", ...more });
  assert.equal(made.status(), 201, await made.text());
  const { id } = await made.json();
  const phase = async () => (await (await page.request.get(`/v1/account/watches/${id}`)).json()).phase;
  await eventually("it has finished learning", async () => (await phase()) !== "learning", learningMs);
  return id;
}

const badge = (page: Page, text: string) => page.locator("header").getByText(text, { exact: true });

/** Waits until the images of a view have loaded. */
async function imagesLoaded(page: Page, number: number): Promise<void> {
  await eventually(`${number} images are loaded`, async () => {
    const widths = await page.locator("main img").evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth));
    return widths.length >= number && widths.every((width) => width > 0);
  });
}

// biome-ignore lint/suspicious/noExplicitAny: response bodies are untyped
async function latestRun(page: Page): Promise<any> {
  const [, watch, run] = /watches\/([^/]+)\/runs\/([^/?]+)/.exec(page.url()) ?? [];
  return await (await page.request.get(`/v1/account/watches/${watch}/runs/${run}`)).json();
}

/** Each crop shows the first region, and 24 pixels around it. */
async function assertCropsExact(crops: Locator, { regions, screenshot }: { regions: { after: Box }[]; screenshot: Box }): Promise<void> {
  const { y, height } = regions[0]?.after ?? assert.fail("no region");
  const shown = await crops.locator("img").evaluateAll((images) =>
    images.map((image) => {
      const [own, frame] = [image.getBoundingClientRect(), (image.parentElement as HTMLElement).getBoundingClientRect()];
      return { top: (frame.top - own.top) / own.width, bottom: (frame.bottom - own.top) / own.width };
    }),
  );
  assert.deepEqual(
    shown.map(({ top, bottom }) => [Math.round(top * screenshot.width), Math.round(bottom * screenshot.width)]),
    [[y - 24, y + height + 24]].flatMap((one) => [one, one]),
  );
}

interface Box {
  y: number;
  width: number;
  height: number;
}

test("a page is watched from its screenshot; its change is shown in four views, resent, muted and accepted", async () => {
  const page = await dashboard.signUp("Ada Lovelace");
  const shop = serveShop("/shop");
  const taken = await post(
    page,
    `/v1/account/playground?url=${encodeURIComponent(`${site.origin}/shop`)}&width=500&height=400&response_type=json`,
  );
  assert.equal(taken.status(), 200, await taken.text());
  await page.goto(`/screenshots/${(await taken.json()).id}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("link", { name: "Watch this page" }).click();
  await page.getByRole("heading", { name: "Create watch" }).waitFor();
  assert.equal(await page.getByLabel("URL", { exact: true }).inputValue(), `${site.origin}/shop`);
  await page.getByText("500", { exact: true }).waitFor();
  await page.getByLabel("Name").fill("Kettles");
  await page.getByLabel("Webhook URL").fill(`http://${receiver.host}/hook`);
  await assertAccessibleAtAnySize(page, "new watch, from a screenshot");
  await page.getByRole("button", { name: "Create watch" }).click();
  await page.getByRole("heading", { name: "Kettles" }).waitFor();
  await badge(page, "Watching").waitFor({ timeout: learningMs });
  const muted = page.locator("section", { has: page.getByRole("heading", { name: "Muted" }) });
  await muted.getByText("Learned").waitFor();
  await muted.getByText(".visits").first().waitFor();

  answerWith(receiver, 200);
  shop.price = "21 €";
  await page.getByRole("button", { name: "Run now" }).click();
  await badge(page, "Changed").waitFor({ timeout: learningMs });
  await page.getByRole("status").getByText("19 €").waitFor();
  await assertAccessibleAtAnySize(page, "watch, changed");
  await page.getByRole("link", { name: "See what changed" }).click();
  const region = page.getByRole("button", { name: /^Changed.*19 €.*21 €/ });
  await region.waitFor();
  await imagesLoaded(page, 2);
  await assertAccessibleAtAnySize(page, "run, side by side");
  await region.click();
  assert.equal(await page.locator("section [data-selected]").count(), 2, "its box in both images");

  await page.getByRole("radio", { name: "Slider" }).click();
  const divider = page.getByRole("slider", { name: "Divide between before and after" });
  await divider.focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await divider.inputValue(), "51");
  assert.match((await page.locator("[style*=clip-path]").getAttribute("style")) ?? "", /51%/);
  const divided = page.getByRole("region", { name: "Before and after, divided" });
  await divided.click({ position: { x: 5, y: 50 } });
  assert.ok(Number(await divider.inputValue()) < 10, "a click on the image moves the line");
  await imagesLoaded(page, 2);
  await assertAccessibleAtAnySize(page, "run, slider");

  await page.getByRole("radio", { name: "Overlay" }).click();
  await page.getByRole("slider", { name: "Opacity of after over before" }).press("End");
  assert.match((await page.locator("[style*=opacity]").getAttribute("style")) ?? "", /opacity: 1;/);
  await imagesLoaded(page, 2);
  await assertAccessibleAtAnySize(page, "run, overlay");

  await page.getByRole("radio", { name: "Regions" }).click();
  const crops = page.getByRole("region", { name: "Only the regions" });
  await crops.getByRole("listitem").filter({ hasText: "21 €" }).waitFor();
  await imagesLoaded(page, 2);
  await assertCropsExact(crops, await latestRun(page));
  await assertAccessibleAtAnySize(page, "run, regions");

  await page.getByRole("link", { name: "Delivery" }).click();
  await page.getByRole("heading", { name: "watch.changed" }).waitFor();
  await page.getByText("Accepted with status 200.").waitFor();
  await page.getByRole("button", { name: "Send again" }).click();
  await page.getByRole("heading", { name: "Try 2" }).waitFor();
  assert.deepEqual(
    receiver.received.map(({ body }) => JSON.parse(body).data.name),
    ["Kettles", "Kettles"],
  );

  await page.goBack();
  await page.getByRole("button", { name: /^Mute .*21 €/ }).click();
  await page.getByRole("button", { name: /^Unmute .*21 €/ }).waitFor();
  await page.getByRole("link", { name: "All runs" }).click();
  await muted.getByText(".price").first().waitFor();
  await muted.getByRole("button", { name: /^Unmute .*price/ }).click();
  await muted.getByText(".price").first().waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Accept" }).click();
  await badge(page, "Unchanged").waitFor();
  await page.getByRole("listitem").filter({ hasText: "21 €" }).getByText("Accepted").waitFor();
  await page.getByRole("button", { name: "Run now" }).click();
  await page.getByRole("listitem").getByText("Unchanged").waitFor({ timeout: learningMs });
  assert.deepEqual(dashboard.errors, []);
});

test("a watch can be paused, resumed, edited and deleted; runs can be filtered, and failures show the reason", async () => {
  const page = await dashboard.signUp("Grace Hopper");
  await page.goto("/watches");

  await page.getByRole("heading", { name: "No watches yet" }).waitFor();
  await assertAccessibleAtAnySize(page, "watches, none");
  serveShop("/other");
  const id = await learned(page, "/other", { name: "Other shop" });
  await page.goto("/watches");
  await page.getByRole("img", { name: /^Last 3 runs: 3 learning/ }).waitFor();
  await imagesLoaded(page, 1);
  await page.keyboard.press("/");
  await page.getByRole("combobox").fill("other sh");
  await page.getByRole("option", { name: /Other shop/ }).click();
  await page.getByRole("heading", { name: "Other shop" }).waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  await badge(page, "Paused").waitFor();

  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByRole("heading", { name: "Edit Other shop" }).waitFor();
  await page.getByLabel("Name").fill("Tea shop");
  await page.getByRole("radio", { name: "Cron" }).click();
  await page.getByLabel("Cron expression").fill("99 * * * *");
  await page.getByLabel("Time zone").selectOption("Europe/Vienna");
  await page.getByText("the watch learns again").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/Cron expression must have five fields/).waitFor();
  dashboard.errors.splice(0); // the browser logs the 400
  await assertAccessibleAtAnySize(page, "edit a watch, invalid");
  await page.getByLabel("Cron expression").fill("0 9 * * 1-5");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Tea shop" }).waitFor();
  await page.getByText("0 9 * * 1-5 (Europe/Vienna)").waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await badge(page, "Paused").waitFor({ state: "detached" });

  site.serve({ "/other": (_request, response) => void response.writeHead(500, { "content-type": "text/html" }).end("<h1>Broken</h1>") });
  await eventually("its runs have ended", async () => {
    const { latest_run: run } = await (await page.request.get(`/v1/account/watches/${id}`)).json();
    return run.status !== "queued" && run.status !== "running";
  });
  await page.getByRole("button", { name: "Run now" }).click();
  await page.getByRole("alert").getByText("The last run failed.").waitFor({ timeout: learningMs });
  await page.getByRole("radio", { name: "Changed" }).click();
  await page.getByText("No matching runs.").waitFor();
  await page.getByRole("radio", { name: "Failed" }).click();
  await page.getByRole("main").getByRole("listitem").getByRole("link").first().click();
  await page.getByText("No image: the run failed.").waitFor();
  await assertAccessibleAtAnySize(page, "run, failed");
  await page.goto("/watches");
  await page.getByText("Failed", { exact: true }).waitFor();
  await imagesLoaded(page, 1); // the image of the last run that has one
  await assertAccessibleAtAnySize(page, "watches");
  await page.getByRole("link", { name: "Tea shop" }).click();
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").waitFor();
  await assertAccessible(page, "delete a watch");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "No watches yet" }).waitFor();
  assert.deepEqual(dashboard.errors, []);
});

test("errors about a new watch are shown at their fields, and another account's watch is not found", async () => {
  const page = await dashboard.signUp("Mary Jackson");
  await page.goto("/watches/new");
  await page.getByRole("button", { name: "Create watch" }).click();
  await page.getByText("URL is required.").waitFor();
  await page.getByLabel("URL", { exact: true }).fill(`${site.origin}/shop`);
  await page.getByLabel("Webhook URL").fill("http://127.0.0.1:1/");
  await page.getByRole("button", { name: "Create watch" }).click();
  await page.locator('[name="webhook_url"][aria-invalid="true"]').waitFor();
  await assertAccessibleAtAnySize(page, "new watch, invalid");
  const owner = await dashboard.signUp("Joan Clarke");
  const made = await post(owner, "/v1/account/watches", { url: `${site.origin}/shop`, every: "30d" });
  await page.goto(`/watches/${(await made.json()).id}`);
  await page.getByRole("heading", { name: "Not found" }).waitFor();
  dashboard.errors.splice(0); // the browser logs the 400 and the 404
});

test("while a watch is learning, its last run's failure is the only message above the runs", async () => {
  const page = await dashboard.signUp("Annie Easley");
  site.serve({ "/broken": (_request, response) => void response.writeHead(500, { "content-type": "text/html" }).end("<h1>Broken</h1>") });
  await page.goto("/watches/new");
  await page.getByLabel("URL", { exact: true }).fill(`${site.origin.replace("http://", "")}/broken`); // a local address without a scheme is http
  await page.getByRole("button", { name: "Create watch" }).click();
  await page.getByRole("alert").getByText("The last run failed.").waitFor({ timeout: learningMs });
  await page.getByText("The first three runs learn which regions").waitFor();
  assert.equal(await page.getByRole("main").locator("[role=status]:not(.sr-only)").count(), 0);
  await assertAccessibleAtAnySize(page, "watch, failed while it learns");
});
