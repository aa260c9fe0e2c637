/** All tests of pages.test.ts; accessibility and layout of every page, in both color schemes, at desktop and phone width. */

import { before, test } from "node:test";
import "./pages.test.ts";
import { fileScope } from "../support/scope.ts";
import { checkView, type Pages, startPages, views } from "./page-views.ts";

const scope = fileScope();
let pages: Pages;

before(async () => {
  pages = await startPages(scope);
});

for (const name of Object.keys(views)) {
  test(`${name}: no accessibility violations, no console errors, no horizontal overflow`, async () => {
    for (const width of [1440, 390]) await checkView(pages, name, width, ["light", "dark"]);
  });
}
