/** All tests of blocking-consent.test.ts, and `block_cookie_banners` on the banners of all platforms. */

import { before } from "node:test";
import "./blocking-consent.test.ts";
import { type Captures, startCaptures } from "../support/captures.ts";
import { fileScope } from "../support/scope.ts";
import { consentPages } from "./consent-pages.ts";
import { testPlatforms } from "./consent-tests.ts";

const scope = fileScope();
let captures: Captures;
before(async () => {
  captures = await startCaptures(scope);
});

testPlatforms(() => captures, consentPages);
