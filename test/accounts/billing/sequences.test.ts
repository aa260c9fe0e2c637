/** The plan depends only on the provider's final state, never on the order of events. */

import { test } from "node:test";
import { checkSequences } from "./sequences.ts";

test("after 40 random sequences of webhooks (permuted, repeated, dropped, late), the plan matches the provider's final state", (t) =>
  checkSequences(t, 40));
