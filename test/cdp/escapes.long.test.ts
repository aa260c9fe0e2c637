/** All tests of escapes.test.ts; every known way for a page to reach the network, tried in a browser lent by the endpoint. */

import assert from "node:assert/strict";
import { test } from "node:test";
import "./escapes.test.ts";
import { ways } from "../egress/escapes/ways.ts";
import { tryLent } from "./escapes.ts";

test("no way out of a page reaches a loopback secret from a lent browser", { timeout: 600_000 }, async (t) => {
  const { unfiltered, lent, refused } = await tryLent(t, ways);
  console.log(
    `${ways.length} ways: ${unfiltered.length} reach the secret without the filter, ${lent.length} from a lent browser; its proxy refused ${refused}`,
  );
  assert.deepEqual(lent, []);
  assert.ok(unfiltered.length >= 60 && refused >= 60, `${unfiltered.length} unfiltered, ${refused} refused`);
});
