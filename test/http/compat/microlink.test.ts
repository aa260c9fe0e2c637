/** Microlink's own client, unmodified, and its errors. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import client from "@microlink/mql";
import { describeImage } from "../../support/image.ts";
import { fileScope } from "../../support/scope.ts";
import { startService, type TestService } from "../../support/service.ts";
import { colouredPage, createSite, type Site } from "../../support/site.ts";

/** With looser types than the client's own, which depend on each option. */
const mql = client as unknown as {
  (url: string, options: object): Promise<{ status: string; statusCode: number; data: Record<string, Record<string, unknown>> }>;
  buffer(url: string, options: object): Promise<{ body: Uint8Array }>;
};

const scope = fileScope();
let site: Site;
let service: TestService;
let key: string;
let url: string;

before(async () => {
  const head = `<html lang=de><meta name=description content="Nine to five"><meta property=og:site_name content=Shop>
    <meta name=author content=Ada><meta property=og:image content=/a.png><link rel=icon href=/icon.png>`;
  site = await createSite(scope, {
    "/": `<!doctype html>${head}${colouredPage("#00ff00", "<h1>Hello</h1>").replace("<!doctype html>", "")}`,
  });
  service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
  ({ key } = await service.createAccount());
  url = `${site.origin}/`;
});

test("microlink: its client gets a screenshot's URL, and can fetch the image from it", async () => {
  for (const where of [{ endpoint: `${service.origin}/m/${key}/` }, { endpoint: `${service.origin}/m/`, apiKey: key }]) {
    const { status, data, statusCode } = await mql(url, {
      ...where,
      screenshot: { type: "png" },
      viewport: { width: 300, height: 200 },
      meta: false,
    });
    const { screenshot = {}, title } = data;
    assert.deepEqual([status, statusCode, title], ["success", 200, "#00ff00"]);
    assert.deepEqual([screenshot.type, screenshot.width, screenshot.height], ["png", 300, 200]);
    const image = new Uint8Array(await (await fetch(String(screenshot.url))).arrayBuffer());
    assert.deepEqual([describeImage(image).width, image.length], [300, screenshot.size]);
  }
});

test("microlink: its client gets the page's metadata", async () => {
  const { data } = await mql(url, { endpoint: `${service.origin}/m/${key}/` });
  const { title, description, lang, author, publisher, image, logo, date } = data;
  assert.deepEqual(
    { title, description, lang, author, publisher, image, logo, date },
    {
      title: "#00ff00",
      description: "Nine to five",
      lang: "de",
      author: "Ada",
      publisher: "Shop",
      image: { url: `${url}a.png` },
      logo: { url: `${url}icon.png` },
      date: null,
    },
  );
});

test("microlink: its client gets the image itself with embed, and a PDF", async () => {
  const endpoint = `${service.origin}/m/${key}/`;
  const { body } = await mql.buffer(url, { endpoint, screenshot: true, embed: "screenshot.url" });
  assert.equal(describeImage(Buffer.from(body)).width, 1280);
  const { data } = await mql(url, { endpoint, pdf: { format: "A5" } });
  const { pdf = {} } = data;
  assert.deepEqual([pdf.type, (await (await fetch(String(pdf.url))).text()).slice(0, 5)], ["pdf", "%PDF-"]);
});

test("microlink: its client's errors have Microlink's codes and our message", async () => {
  const failing = async (options: object) => {
    const error = await mql(url, { endpoint: `${service.origin}/m/`, apiKey: key, ...options }).catch((thrown) => thrown);
    assert.equal(error.name, "MicrolinkError", String(error));
    return { code: error.code, status: error.status, statusCode: error.statusCode, description: error.description };
  };
  const wrong = await failing({ apiKey: `${key.slice(0, -4)}aaaa` });
  assert.deepEqual([wrong.code, wrong.status, wrong.statusCode], ["EAUTH", "fail", 403]);
  const data = await failing({ data: { price: { selector: ".price" } } });
  assert.deepEqual([data.code, data.statusCode], ["EINVAL", 400]);
  assert.match(data.description, /data\.price\.selector is not supported here: only screenshots, PDFs and metadata are supported/);
  const wide = await failing({ screenshot: true, viewport: { width: 100000 } });
  assert.match(wide.description, /viewport\.width must be an integer from 1 to 3840/);
  const slow = await failing({ screenshot: true, waitForSelector: "#never", timeout: "2s" });
  assert.deepEqual([slow.code, slow.statusCode], ["ETIMEOUT", 400]);
});

test("microlink: the key in the path is not logged", async () => {
  await (await fetch(`${service.origin}/m/${key}/?url=${encodeURIComponent(url)}`)).text();
  assert.ok(!service.logged().includes(key));
});
