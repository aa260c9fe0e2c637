/** The long version of robustness.test.ts: more requests, and different ones in each run. */

import { fileScope } from "../../support/scope.ts";
import { fuzzTests, startFuzzed } from "./fuzz.ts";

fuzzTests(await startFuzzed(fileScope()), { requests: 16_000, connections: 4_000, captures: 40 });
