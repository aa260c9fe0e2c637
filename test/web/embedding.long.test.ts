/** Screenshots embedded in websites with a key that is restricted to a domain. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "../support/scope.ts";
import { colouredPage, createSite, type Site } from "../support/site.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

const scope = fileScope();
let target: Site;
let allowed: Site;
let foreign: Site;
let dashboard: Dashboard;
before(async () => {
  target = await createSite(scope, { "/": colouredPage("#0a7") });
  allowed = await createSite(scope);
  foreign = await createSite(scope);
  dashboard = await startDashboard(scope, { EGRESS_ALLOWED_HOSTS: target.host });
});

test("the <img> snippet works on an allowed website and not on another", async () => {
  const person = await dashboard.signUp("Ada");
  await person.goto("/keys");
  await person.getByRole("button", { name: "Create key" }).click();
  await person.getByLabel("Name", { exact: true }).fill("Blog");
  await person.getByLabel("Allowed websites").fill(allowed.host);
  await person.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  await person.getByRole("tab", { name: "<img>" }).click();
  const snippet = (await person.getByRole("tabpanel").locator("code").textContent()) ?? "";
  const page = snippet
    .replace(encodeURIComponent("https://example.com"), encodeURIComponent(`${target.origin}/`))
    .replace('loading="lazy"', "");
  for (const site of [allowed, foreign]) site.serve({ "/": `<!doctype html><title>A blog</title>${page}` });

  const width = async (site: Site) => {
    const visitor = await dashboard.visit(); // with an empty cache
    await visitor.goto(site.origin, { waitUntil: "load" });
    return visitor.locator("img").evaluate((image: HTMLImageElement) => image.naturalWidth);
  };
  assert.equal(await width(allowed), 1280);
  assert.equal(await width(foreign), 0);
});
