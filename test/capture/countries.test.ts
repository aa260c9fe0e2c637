/** The table of countries: every entry is one that the options accept. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { countryFacts } from "../../src/capture/countries.ts";
import { createTakeSchema, withPresets } from "../../src/screenshots/take/take-options.ts";
import { limits } from "../http/limits.ts";

const letters = [..."abcdefghijklmnopqrstuvwxyz"];

test("countries: every time zone, language and location is valid, and so is what country implies", () => {
  const schema = createTakeSchema(limits);
  const known = letters.flatMap((one) => letters.map((other) => one + other)).filter((code) => countryFacts(code));
  assert.equal(known.length, 242);
  const withoutLocale: string[] = [];
  for (const country of known) {
    const facts = countryFacts(country);
    assert.ok(facts);
    const options = schema.parse(withPresets({ url: "https://example.com/", country }, {}));
    assert.equal(options.geolocation_latitude, facts.latitude, country);
    assert.notEqual(options.time_zone, "UTC", country);
    if (facts.locale === undefined) withoutLocale.push(country);
    else assert.equal(options.locale, facts.locale, country);
  }
  assert.ok(withoutLocale.length < 25, withoutLocale.join());
  const shown = ["de", "US", "ch", "jp", "br", "in"].map((code) => `${countryFacts(code)?.timeZone} ${countryFacts(code)?.locale}`);
  assert.deepEqual(shown, [
    "Europe/Berlin de-DE",
    "America/New_York en-US",
    "Europe/Zurich de-CH",
    "Asia/Tokyo ja-JP",
    "America/Sao_Paulo pt-BR",
    "Asia/Kolkata hi-IN",
  ]);
  for (const other of ["", "deu", "xx", "zz", "d", "de "]) assert.equal(countryFacts(other), undefined, other);
});
