/** Pages can't reach the service's own components, even if the operator allows their addresses. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { longOnly } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { createSite, type Site } from "../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
/** The services that listen at the addresses in settings, by setting. */
const own: Record<string, Site> = {};
/** Listens at an address that isn't in any setting. */
let stranger: Site;
let captures: Captures;

const settings: Record<string, (port: string) => string> = {
  PORT: (port) => port,
  METRICS_PORT: (port) => port,
  PUBLIC_URL: (port) => `http://localhost:${port}/api`,
  WEB_PORT: (port) => port,
  WEB_PUBLIC_URL: (port) => `http://localhost:${port}`,
  WEB_SERVER_URL: (port) => `http://127.0.0.1:${port}/`,
};
const portOf = ({ origin }: Site) => new URL(origin).port;

before(async () => {
  stranger = await createSite(scope, { "/": "another service on this machine" });
  for (const name of Object.keys(settings)) own[name] = await createSite(scope, { "/": "inside" });
  const values = Object.entries(settings).map(([name, settingFor]) => [name, settingFor(portOf(own[name] as Site))]);
  captures = await startCaptures(scope, { ...Object.fromEntries(values), EGRESS_ALLOWED_HOSTS: "127.0.0.0/8,::1,localhost" });
});

for (const name of Object.keys(settings)) {
  test(`the address in ${name} is refused as a target, even if its range is allowed`, async () => {
    const { origin, requests } = own[name] as Site;
    for (const host of ["127.0.0.1", "localhost", "127.1.2.3", "[::1]"]) {
      const { status, json } = await captures.capture(`${origin.replace("127.0.0.1", host)}/`);
      assert.deepEqual([status, json.code], [400, "target_blocked"], host);
    }
    assert.deepEqual(requests, []);
  });

  const testOfPages = name === "PORT" || name === "WEB_PUBLIC_URL" ? test : longTest;
  testOfPages(`pages can't reach the address in ${name}, even if its range is allowed`, async () => {
    const { origin, requests } = own[name] as Site;
    const fetched = await captures.ask(
      `Promise.all(["${stranger.origin}/", "${origin}/", "${origin.replace("127.0.0.1", "localhost")}/"].map((url) =>
         fetch(url, { mode: "no-cors" }).then(() => "reached", () => "refused")))`,
      {},
      `<iframe src="${origin}/"></iframe><form action="${origin}/" method="post" target="f"></form><iframe name="f"></iframe>
       <script>document.forms[0].submit()</script>`,
    );
    assert.deepEqual(fetched, ["reached", "refused", "refused"]);
    assert.deepEqual(requests, []);
  });
}
