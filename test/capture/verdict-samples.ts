/** Verdicts on pages that were written from public descriptions of real ones, before the rules were tried on them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Captures } from "../support/captures.ts";
import type { Page } from "../support/site.ts";
import { doubts } from "./verdict-pages/doubts.ts";
import { wallsInLanguages } from "./verdict-pages/languages.ts";
import { lookAlikes, plainWalls } from "./verdict-pages/look-alikes.ts";
import { noticeLookAlikes } from "./verdict-pages/notice-look-alikes.ts";
import { ordinary } from "./verdict-pages/ordinary.ts";
import type { SamplePage } from "./verdict-pages/sample-page.ts";
import { servers } from "./verdict-pages/servers.ts";
import { shortWalls } from "./verdict-pages/short-walls.ts";
import { walls } from "./verdict-pages/walls.ts";

/** The samples whose verdict `isRight` doesn't accept, with the verdict they got. */
async function wrong(captures: Captures, samples: SamplePage[], isRight: (kind: string, sample: SamplePage) => boolean): Promise<string[]> {
  const found: string[] = [];
  const queue = samples.entries();
  const worker = async () => {
    for (const [index, sample] of queue) {
      const { kind, reasons } = await verdictOn(captures, sample, index);
      if (!isRight(kind, sample)) found.push(`${sample.name}: ${kind}, not ${sample.expected}. ${reasons.join(" ")}`);
    }
  };
  await Promise.all([worker(), worker()]);
  return found;
}

async function verdictOn(captures: Captures, { expected, html, path = "/", redirect, status = 200 }: SamplePage, index: number) {
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

/** @param step captures one in `step` samples; the tables alternate their kinds. */
export function testVerdicts(captures: () => Captures, step: number): void {
  const some = (samples: SamplePage[]) => samples.filter((_, index) => index % step === 0);
  const [marked, plain, harmless] = [
    some([...walls, ...wallsInLanguages]),
    some(plainWalls),
    some([...ordinary, ...lookAlikes, ...doubts, ...noticeLookAlikes]),
  ];
  const exact = [...servers, ...shortWalls].filter((_, index) => index % Math.min(step, 3) === 0);

  test(`at least nine in ten of ${marked.length} walls, errors and placeholders get the right verdict`, async (t) => {
    const missed = await wrong(captures(), marked, (kind, { expected }) => kind === expected);
    for (const line of missed) t.diagnostic(line);
    assert.ok(walls.length >= 60 && missed.length <= marked.length / 10, missed.join("\n"));
  });

  test(`none of ${harmless.length} ordinary pages that resemble walls is taken for one`, async () => {
    assert.ok(ordinary.length + lookAlikes.length >= 85);
    assert.deepEqual(await wrong(captures(), harmless, (kind) => kind === "ok" || kind === "unknown"), []);
  });

  test(`each of ${exact.length} pages of servers, or like them, gets the right verdict`, async () => {
    assert.deepEqual(await wrong(captures(), exact, (kind, { expected }) => kind === expected), []);
  });

  test(`more than half of ${plain.length} walls without a vendor's marks get the right verdict`, async (t) => {
    const missed = await wrong(captures(), plain, (kind, { expected }) => kind === expected);
    for (const line of missed) t.diagnostic(line);
    assert.ok(missed.length < plain.length / 2, missed.join("\n"));
  });
}
