/** `compare`: before and after on real pages, rendered by the project's Chromium. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { compare } from "../../src/comparison/compare.ts";
import type { CompareOptions } from "../../src/comparison/comparison.ts";
import { type Captures, startCaptures } from "../support/captures.ts";
import { longOnly } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { everything, shootPair, testComparedPages } from "./page-tests.ts";

const longTest = longOnly(test);

const scope = fileScope();
let captures: Captures;

before(async () => {
  captures = await startCaptures(scope);
});

const pair = (one: string, other: string, parameters: Record<string, unknown> = {}) => shootPair(captures, one, other, parameters);

testComparedPages(() => captures, ["a price on a card", "a replaced image", "a shop"]);

const news = (clock: string, price: string, advert = 100) =>
  `<!doctype html><meta charset="utf-8"><h1>News</h1><div class="ad slot" style="height:${advert}px;background:#fd6"><img alt="" src="data:,"><p>Buy ${advert}</p></div>
  <div id="clock">${clock}</div><p class="price">${price}</p>${Array.from({ length: 5 }, (_, at) => `<p>Line ${at} of the news</p>`).join("")}`;

test("ignored by selector: an element with its content, even if it grows and moves what follows", async () => {
  const shots = await pair(news("12:00", "1 €"), news("12:01", "1 €", 180));
  const ignore = { boxes: [], selectors: ["#clock", "body > .ad.slot"] };
  const { isChanged, regions } = await compare(...shots, { ...everything, ignore });
  assert.deepEqual([isChanged, regions], [false, []]);
  const seen = await compare(...shots, everything);
  assert.deepEqual(
    seen.regions.map(({ name }) => name).sort(),
    ["Area “Buy 180” changed", "“12:00” → “12:01”", "“Buy 100” → “Buy 180”"].sort(),
  );
});

longTest("ignored by selector: an element at the end that makes the page grow", async () => {
  const page = (height: number) => `${news("12:00", "1 €")}<div class="last" style="height:${height}px">Quote</div>`;
  const shots = await pair(page(1000), page(1300), { full_page: true });
  const { isChanged, regions } = await compare(...shots, { ...everything, ignore: { boxes: [], selectors: [".last"] } });
  assert.deepEqual([isChanged, regions], [false, []]);
});

test("ignored by selector or box: changes elsewhere still count", async () => {
  const shots = await pair(news("12:00", "1 €"), news("12:01", "2 €"));
  for (const ignore of [
    { boxes: [], selectors: ["#clock"] },
    {
      boxes: [shots[1].elements?.elements.find(({ selector }) => selector === "#clock")?.box ?? { x: 0, y: 0, width: 0, height: 0 }],
      selectors: [],
    },
  ]) {
    const { regions } = await compare(...shots, { ...everything, ignore });
    assert.deepEqual(
      regions.map(({ name, textBefore, textAfter }) => [name, textBefore, textAfter]),
      [["“1 €” → “2 €”", "1 €", "2 €"]],
    );
  }
});

test("comparing by text ignores colors and pictures; comparing by pixels ignores invisible changes", async () => {
  const page = (colour: string, price: string, hidden: string) =>
    `<!doctype html><meta charset="utf-8"><h1 style="color:${colour}">Shop</h1><p class="price">${price}</p><p style="color:#fff">${hidden}</p>`;
  const shots = await pair(page("red", "1 €", "one"), page("blue", "2 €", "two"));
  const names = async (by: CompareOptions["by"]) => {
    const { regions } = await compare(...shots, { ...everything, by });
    return regions.map(({ name }) => name).sort();
  };
  const [price, heading, hidden] = ["“1 €” → “2 €”", "Heading “Shop” looks different", "“one” → “two”"];
  assert.deepEqual(await names("text"), [price, hidden].sort());
  assert.deepEqual(await names("pixels"), [price, heading].sort());
  assert.deepEqual(await names("both"), [price, heading, hidden].sort());
});

longTest("without a list of elements, a row at the top of a long page is one region, and growing blank space is a move", async () => {
  const lines = Array.from({ length: 40 }, (_, at) => `<p>Line ${at} with some text in it</p>`).join("");
  const shots = await pair(lines, `<p>A line that is new</p>${lines}`);
  const { regions } = await compare({ image: shots[0].image }, { image: shots[1].image }, everything);
  assert.deepEqual([regions.length, regions[0]?.selector, regions[0]?.textAfter], [1, null, null]);
  const moved = await pair(`<h1>Top</h1><div></div>${lines}`, `<h1>Top</h1><div style="height:50px"></div>${lines}`);
  const second = await compare({ image: moved[0].image }, { image: moved[1].image }, everything);
  assert.deepEqual(
    [second.isChanged, second.regions.map(({ kind, name }) => [kind, name])],
    [true, [["moved", "Content moved down by 66 px"]]],
  );
});

longTest("extra blank space at the end of a page is a change", async () => {
  const page = (height: number) => `<!doctype html><h1>Top</h1><div style="height:${height}px"></div>`;
  const { isChanged, regions } = await compare(...(await pair(page(1200), page(1300))), everything);
  assert.deepEqual([isChanged, regions.map(({ name }) => name)], [true, ["Page is 100 px longer"]]);
});

longTest("side effects of a change are not regions: rewrapped text, list numbers, a label's neighbors", async () => {
  const page = (words: string, items: string) =>
    `<!doctype html><meta charset="utf-8"><nav><a href="/a">${words}</a> · <a href="/b">Prices</a> · <a href="/c">Contact</a></nav>
    <ol><li>First of all</li>${items}<li>Third of all</li><li>Last of all</li></ol>`;
  const names = async (one: string, other: string) =>
    (await compare(...(await pair(one, other)), everything)).regions.map(({ name }) => name);
  const list = "<li>Second of all</li>";
  assert.deepEqual(await names(page("Home", list), page("Start here", list)), ["“Home” → “Start here”"]);
  assert.deepEqual(await names(page("Home", list), page("Home", "")), ["List item “Second of all” removed"]);
  const columns = (first: string) =>
    `<!doctype html><meta charset="utf-8"><div style="display:flex;gap:20px"><p>${first}</p><p>${"Words that fill a column. ".repeat(8)}</p></div>`;
  const [some, more] = ["A few words ".repeat(5), "A few more words ".repeat(5)];
  assert.equal((await names(columns(some), columns(more))).length, 1);
});
