/** Verdicts on pages that were written from public descriptions of real ones, before the rules were tried on them. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { fileScope } from "../support/scope.ts";
import type { Page } from "../support/site.ts";
import { lookAlikes, plainWalls } from "./verdict-pages/look-alikes.ts";
import { ordinary } from "./verdict-pages/ordinary.ts";
import type { SamplePage } from "./verdict-pages/sample-page.ts";
import { walls } from "./verdict-pages/walls.ts";

const scope = fileScope();
let captures: Captures;
before(async () => {
  captures = await startCaptures(scope);
});

/** The samples whose verdict is not one of those that `isRight` accepts, with what it was. */
async function wrong(samples: SamplePage[], isRight: (kind: string, sample: SamplePage) => boolean): Promise<string[]> {
  const found: string[] = [];
  const queue = samples.entries();
  const worker = async () => {
    for (const [index, sample] of queue) {
      const { kind, reasons } = await verdictOn(sample, index);
      if (!isRight(kind, sample)) found.push(`${sample.name}: ${kind}, not ${sample.expected}. ${reasons.join(" ")}`);
    }
  };
  await Promise.all([worker(), worker()]);
  return found;
}

async function verdictOn({ expected, html, path = "/", redirect, status = 200 }: SamplePage, index: number) {
  const base = `/${expected.at(0)}${index}`;
  const [requested, shown] = [base + path, base + (redirect ?? path)];
  const page: Page = (request, response) => {
    if (request.url === shown) response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(html);
    else response.writeHead(302, { location: shown }).end();
  };
  captures.site.serve({ [withoutQuery(requested)]: page, [withoutQuery(shown)]: page });
  const parameters = { response_type: "json", width: "1280", height: "720", wait_until_timeout: "5" };
  const { json } = await captures.capture(captures.site.origin + requested, parameters);
  return (json.verdict ?? { kind: `no answer (${json.error})`, reasons: [] }) as { kind: string; reasons: string[] };
}

function withoutQuery(path: string): string {
  return path.split("?", 1)[0] as string;
}

test("of 60 walls, errors and placeholders at least 54 are named right", async (t) => {
  const missed = await wrong(walls, (kind, { expected }) => kind === expected);
  for (const line of missed) t.diagnostic(line);
  assert.ok(walls.length >= 60 && missed.length <= 6, missed.join("\n"));
});

test("of 85 ordinary pages that resemble walls none is taken for one", async () => {
  const pages = [...ordinary, ...lookAlikes];
  assert.ok(pages.length >= 85);
  assert.deepEqual(await wrong(pages, (kind) => kind === "ok" || kind === "unknown"), []);
});

test("of walls without a vendor's marks more than half are named right", async (t) => {
  const missed = await wrong(plainWalls, (kind, { expected }) => kind === expected);
  for (const line of missed) t.diagnostic(line);
  assert.ok(missed.length < plainWalls.length / 2, missed.join("\n"));
});

const challenge = `<title>Just a moment...</title><h1>example.com</h1><p>Verify you are human by completing the action below.</p>`;

test("fail_on_verdict makes an error of it that costs no quota, and of others an image", async () => {
  const { status, json } = await captures.capture(challenge, { fail_on_verdict: "bot_wall,login_wall" });
  assert.deepEqual([status, json.code], [400, "unwanted_page"]);
  assert.match(json.error ?? "", /bot_wall/);
  const other = await captures.capture(challenge, { fail_on_verdict: "login_wall" });
  assert.deepEqual([other.status, other.headers.get("x-verdict")], [200, "bot_wall"]);
  assert.match(other.headers.get("x-verdict-reason") ?? "", /Cloudflare/);
});

test("only screenshots of the page itself are cached", async () => {
  for (const [markup, second] of [
    [challenge, "MISS"],
    ["<h1>Opening hours</h1><p>Monday to Friday from nine to five, and by appointment.</p>", "HIT"],
  ] as const) {
    const path = `/cached-${second}`;
    captures.site.serve({ [path]: markup });
    const parameters = { is_cached: "true", response_type: "empty" };
    await captures.capture(path, parameters);
    assert.equal((await captures.capture(path, parameters)).headers.get("x-cache"), second);
  }
});
