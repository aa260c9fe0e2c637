/** What visitors of a web site see where the site shows pictures with its key. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "../support/scope.ts";
import { colouredPage, createSite, type Site } from "../support/site.ts";
import { type FrontEnd, startFrontEnd } from "./front-end.ts";

const scope = fileScope();
let target: Site;
let allowed: Site;
let foreign: Site;
let front: FrontEnd;
before(async () => {
  target = await createSite(scope, { "/": colouredPage("#0a7") });
  allowed = await createSite(scope);
  foreign = await createSite(scope);
  front = await startFrontEnd(scope, { EGRESS_ALLOWED_HOSTS: target.host });
});

test("the snippet's <img> shows the picture on a page of the key's site, and not on another", async () => {
  const person = await front.signUp("Ada");
  await person.goto("/keys");
  await person.getByRole("button", { name: "New key" }).click();
  await person.getByLabel("Name", { exact: true }).fill("Blog");
  await person.getByLabel("Web sites that may use it").fill(allowed.host);
  await person.getByRole("button", { name: "Make key" }).click();
  await person.getByRole("tab", { name: "<img>" }).click();
  const snippet = (await person.getByRole("tabpanel").locator("code").textContent()) ?? "";
  const page = snippet
    .replace(encodeURIComponent("https://example.com"), encodeURIComponent(`${target.origin}/`))
    .replace('loading="lazy"', "");
  for (const site of [allowed, foreign]) site.serve({ "/": `<!doctype html><title>A blog</title>${page}` });

  const width = async (site: Site) => {
    const visitor = await front.visit(); // a new one each time, whose cache is empty
    await visitor.goto(site.origin, { waitUntil: "load" });
    return visitor.locator("img").evaluate((image: HTMLImageElement) => image.naturalWidth);
  };
  assert.equal(await width(allowed), 1280);
  assert.equal(await width(foreign), 0);
});
