/** All tests of clock.test.ts, and all pages on which `clock` never finishes. */

import "./clock.test.ts";
import { before } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { fileScope } from "../support/scope.ts";
import { stubbornPages, testStubborn } from "./stubborn-pages.ts";

const scope = fileScope();
let captures: Captures;
before(async () => {
  captures = await startCaptures(scope, { MAX_CONCURRENT_SCREENSHOTS: "2" });
});

testStubborn(() => captures, stubbornPages, ["auto", "domcontentloaded"]);
