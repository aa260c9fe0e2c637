/** Emulation options, each on a page that displays the emulated value. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { pixelAt } from "../support/image.ts";
import { longOnly, onlyLong } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage } from "../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
let site: Captures["site"];
let capture: Captures["capture"];

before(async () => {
  ({ site, capture } = await startCaptures(scope, { EGRESS_ALLOWED_HOSTS: "localhost" }));
});

/** A page that is green if `condition`, a JavaScript expression, is true. */
const pageShowing = (condition: string) =>
  colouredPage("#f00", `<script>document.documentElement.style.background = (${condition}) ? "#0f0" : "#f00"</script>`);

/** Whether the page's `condition` was true when it was captured. */
async function holds(condition: string, parameters: Record<string, string> = {}): Promise<boolean> {
  const { bytes, status, json } = await capture(pageShowing(condition), parameters);
  assert.equal(status, 200, String(json.error));
  return pixelAt(bytes, 100, 50) === "#00ff00";
}

const matches = (query: string) => `matchMedia("(${query})").matches`;

test("prefers_color_scheme: dark, light, and no-preference, which browsers treat as light", async () => {
  const styled =
    "<style>html{background:#fff}@media(prefers-color-scheme:dark){html{background:#000}}@media(prefers-color-scheme:light){html{background:#0f0}}</style>";
  for (const [value, colour] of [
    ["dark", "#000000"],
    ...onlyLong([
      ["light", "#00ff00"],
      ["no-preference", "#00ff00"],
    ] as const),
  ] as const) {
    assert.equal(pixelAt((await capture(styled, { prefers_color_scheme: value })).bytes, 100, 50), colour, value);
  }
});

test("prefers_reduced_motion: applies together with a color scheme and a media type", async () => {
  const all = `${matches("prefers-reduced-motion: reduce")} && ${matches("prefers-color-scheme: dark")} && matchMedia("print").matches`;
  assert.equal(await holds(all, { prefers_reduced_motion: "reduce", prefers_color_scheme: "dark", media_type: "print" }), true);
  assert.equal(await holds(matches("prefers-reduced-motion: no-preference")), true);
});

test("media_type: print applies print styles, screen applies screen styles", async () => {
  const page = "<style>@media print{html{background:#00f}}@media screen{html{background:#0f0}}</style>";
  assert.equal(pixelAt((await capture(page)).bytes, 100, 50), "#00ff00");
  assert.equal(pixelAt((await capture(page, { media_type: "print" })).bytes, 100, 50), "#0000ff");
});

test("desktop pages have a precise pointer that can hover; has_touch replaces it", async () => {
  const hasMouse = ["hover: hover", "any-hover: hover", "pointer: fine", "any-pointer: fine"].map(matches).join(" && ");
  assert.equal(await holds(hasMouse), true);
  const hasTouch = ["hover: none", "pointer: coarse"].map(matches).join(" && ");
  assert.equal(await holds(hasTouch, { has_touch: "true" }), true);
});

test("time_zone: sets the page's time zone, which is UTC by default on every machine", async () => {
  const zone = (name: string) => `Intl.DateTimeFormat().resolvedOptions().timeZone === "${name}"`;
  assert.equal(await holds(`${zone("UTC")} && new Date(2026, 0, 1).getTimezoneOffset() === 0`), true);
  assert.equal(
    await holds(`${zone("Asia/Tokyo")} && new Date(2026, 0, 1).getTimezoneOffset() === -540`, { time_zone: "Asia/Tokyo" }),
    true,
  );
});

longTest("time_zone: names are case-insensitive", async () => {
  assert.equal(await holds('Intl.DateTimeFormat().resolvedOptions().timeZone === "Europe/Berlin"', { time_zone: "europe/BERLIN" }), true);
});

test("time_zone: an invalid name is rejected", async () => {
  for (const time_zone of ["Mars/Olympus", "+02:00"]) {
    const { status, json } = await capture(colouredPage("#fff"), { time_zone });
    assert.deepEqual([status, json.error], [400, "time_zone must be an IANA time zone name, such as Europe/Berlin."]);
  }
});

test("locale: sets the page's language, its number format, and Accept-Language", async () => {
  const asked = () => site.requests.at(-1)?.headers["accept-language"];
  assert.equal(await holds('navigator.languages.join() === "de-DE,de" && (1.5).toLocaleString() === "1,5"', { locale: "de-DE" }), true);
  assert.equal(asked(), "de-DE,de;q=0.9");
  const usual =
    'navigator.languages.join() === "en-US,en" && (1.5).toLocaleString() === "1.5" && Intl.NumberFormat().resolvedOptions().locale === "en-US"';
  assert.equal(await holds(usual), true);
  assert.equal(asked(), "en-US,en;q=0.9");
});

longTest("locale: works together with user_agent", async () => {
  assert.equal(
    await holds('navigator.userAgent === "Test/1.0" && navigator.language === "fr-CH"', { locale: "fr-CH", user_agent: "Test/1.0" }),
    true,
  );
});

test("locale: an invalid tag is rejected", async () => {
  const { status, json } = await capture(colouredPage("#fff"), { locale: "not a language" });
  assert.deepEqual([status, json.error], [400, "locale must be a supported BCP 47 language tag in its usual spelling, such as de-DE."]);
});

const asksWhere = (then: string, otherwise: string) =>
  colouredPage(
    "#fff",
    `<script>const paint = (colour) => { document.documentElement.style.background = colour };
     navigator.geolocation.getCurrentPosition(({ coords }) => paint(${then}), (error) => paint(error.code === error.PERMISSION_DENIED ? "${otherwise}" : "#ff0"))</script>`,
  );

test("geolocation: the page gets the location, and none without the options", async () => {
  const page = asksWhere('coords.latitude === 52.52 && coords.longitude === -13.4 && coords.accuracy === 25 ? "#0f0" : "#f0f"', "#f00");
  const place = { geolocation_latitude: "52.52", geolocation_longitude: "-13.4", geolocation_accuracy: "25", delay: "0.3" };
  assert.equal(pixelAt((await capture(page, place)).bytes, 100, 50), "#00ff00");
  assert.equal(pixelAt((await capture(page, { delay: "0.3" })).bytes, 100, 50), "#ff0000", "and the permission ended with the capture");
});

test("geolocation: also applies after a redirect, but not to frames from other sites", async () => {
  const page = asksWhere('coords.latitude === 1 ? "#0f0" : "#f0f"', "#f00");
  const other = site.origin.replace("127.0.0.1", "localhost");
  const place = { geolocation_latitude: "1", geolocation_longitude: "2", delay: "0.3" };
  site.serve({ "/landed": page });
  const redirected = await capture((_, response) => response.writeHead(302, { location: `${other}/landed` }).end(), place);
  assert.equal(pixelAt(redirected.bytes, 100, 50), "#00ff00");
  const framed = await capture(`<body style="margin:0"><iframe src="${other}/landed" style="border:0;width:100%;height:100vh">`, place);
  assert.equal(pixelAt(framed.bytes, 100, 50), "#ff0000");
});

test("geolocation: one coordinate without the other is rejected by name", async () => {
  const alone = await capture(colouredPage("#fff"), { geolocation_latitude: "1" });
  assert.deepEqual([alone.status, alone.json.error], [400, "geolocation_longitude is required with geolocation_latitude."]);
  const other = await capture(colouredPage("#fff"), { geolocation_longitude: "1" });
  assert.deepEqual([other.status, other.json.error], [400, "geolocation_latitude is required with geolocation_longitude."]);
});
