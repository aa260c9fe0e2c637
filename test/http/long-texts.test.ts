/** Long texts from outside are read in time that grows no faster than their length. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { seconds } from "../../src/http/doors/durations.ts";
import { loggedPathOf } from "../../src/http/request-target.ts";
import { assertLinear } from "../support/linear.ts";

test("the path of a request is logged in linear time", () => {
  for (const repeated of ["A", "A_", "A/", "_", "/", "%", "."]) assertLinear((text) => loggedPathOf({ url: `/${text}` }), repeated);
});

test("a logged path has no key, and whole segments of a long path", () => {
  const key = `tintype_${"A1b2".repeat(9)}`;
  const cases: [string, string][] = [
    ["/v1/screenshots/take?url=a", "/v1/screenshots/take"],
    [`/get/auth/${key}/width/600`, "/get/auth/…/width/600"],
    [`/${key}`, "/…"],
    [`/a-${key}.png%20`, "/a-….png…"],
    ["/v1/x%3Fapi_key=1", "/v1/x…"],
    [`/docs/${"a".repeat(1_000)}`, "/docs/…"],
    [`${"/a".repeat(240)}/${key}`, `${"/a".repeat(240)}/…`],
    ["a".repeat(1_000), "…"],
  ];
  for (const [url, logged] of cases) assert.equal(loggedPathOf({ url }), logged);
});

test("a duration is read in linear time", () => {
  for (const repeated of ["1", "1a", "1 ", "a", " ", "1.", "."])
    for (const after of ["", "!", "s"]) assertLinear(seconds, repeated, { after });
});
