/** All tests of pages.test.ts; `compare` on all pages before and after one change. */

import { before } from "node:test";
import "./pages.test.ts";
import { type Captures, startCaptures } from "../support/captures.ts";
import { fileScope } from "../support/scope.ts";
import { testComparedPages } from "./page-tests.ts";

const scope = fileScope();
let captures: Captures;
before(async () => {
  captures = await startCaptures(scope);
});

testComparedPages(() => captures);
