/** Verdicts on every sample page. */

import { before } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { fileScope } from "../support/scope.ts";
import { testVerdicts } from "./verdict-samples.ts";

const scope = fileScope();
let captures: Captures;
before(async () => {
  captures = await startCaptures(scope);
});

testVerdicts(() => captures, 1);
