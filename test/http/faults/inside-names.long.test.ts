/** Neither callers nor pages can find out which internal names exist. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { askOnly, noSuchName, startNameServer, typeA } from "../../support/name-server.ts";
import { fileScope } from "../../support/scope.ts";
import { startService, type TestService } from "../../support/service.ts";
import { createSite, type Site } from "../../support/site.ts";

const scope = fileScope();
let site: Site;
let origin: string;
let service: TestService;
let key: string;
let asked: string[];

/** IPv4 addresses by name; the first name has none, and those of the others may not be captured. */
const names: Record<string, number[][]> = {
  "missing.example": [],
  "inside.example": [[10, 0, 0, 7]],
  "loopback.example": [[127, 0, 0, 1]],
  "half-inside.example": [
    [93, 184, 215, 14],
    [10, 0, 0, 7],
  ],
  "database.example": [[10, 0, 0, 8]],
};
const hosts = Object.keys(names);

before(async () => {
  site = await createSite(scope);
  const nameServer = await startNameServer(scope, (name, type) => {
    const addresses = names[name] ?? [];
    if (addresses.length === 0) return noSuchName;
    return type === typeA ? addresses : [];
  });
  ({ asked } = nameServer);
  askOnly(scope, nameServer.servers);
  // By name: if the setting listed an address, every name would have to be looked up.
  origin = site.origin.replace("127.0.0.1", "localhost");
  service = await startService(scope, { EGRESS_ALLOWED_HOSTS: new URL(origin).host, STORAGE_ENDPOINT: "http://database.example" });
  ({ key } = await service.createAccount());
});

/** Everything that a caller can see, except for the request's own id. */
async function toldOf(url: string): Promise<string> {
  const response = await service.take({ api_key: key, url });
  const { requestId: _, ...body } = JSON.parse(await response.text());
  return JSON.stringify([response.status, body, response.headers.get("retry-after")]);
}

test("a target with an internal name gets the same response as one that doesn't exist", async () => {
  const expected = await toldOf("http://missing.example/");
  assert.match(expected, /name_not_resolved/);
  for (const host of hosts) assert.equal(await toldOf(`http://${host}/`), expected, host);
});

test("a redirect to an internal name gets the same response as one to a name that doesn't exist", async () => {
  for (const way of ["redirect", "script"]) {
    const answers = [];
    for (const host of hosts) {
      const there = `http://${host}/`;
      site.serve({
        [`/redirect-${host}`]: (_, response) => response.writeHead(302, { location: there }).end(),
        [`/script-${host}`]: `<script>location = "${there}"</script>`,
      });
      answers.push(await toldOf(`${origin}/${way}-${host}`));
    }
    assert.match(answers[0] ?? "", /name_not_resolved/);
    for (const [index, answer] of answers.entries()) assert.equal(answer, answers[0], `a ${way} to ${hosts[index]}`);
  }
});

test("frames with internal names look like frames with names that don't exist", async () => {
  const images: string[] = [];
  for (const host of hosts) {
    site.serve({ [`/frame-${host}`]: `<iframe src="http://${host}/" width="300" height="200"></iframe>` });
    const response = await service.take({ api_key: key, url: `${origin}/frame-${host}`, format: "png", width: "400", height: "300" });
    assert.equal(response.status, 200);
    images.push(Buffer.from(await response.arrayBuffer()).toString("base64"));
  }
  for (const [index, image] of images.entries()) assert.equal(image, images[0], String(hosts[index]));
});

test("internal names are refused without a lookup; the advice in the error depends only on how they are spelled", async () => {
  const expected = await toldOf("http://missing.example/");
  asked.length = 0;
  for (const host of ["db", "postgres", "printer.local", "wiki.internal", "nas.home.arpa"]) {
    const advice = ` If the page is on the service's network, the operator can allow it by setting EGRESS_ALLOWED_HOSTS=${host}:80.`;
    const told = await toldOf(`http://${host}/`);
    assert.ok(told.includes(advice), told);
    assert.equal(told.replaceAll(advice, ""), expected, host);
  }
  assert.equal(await toldOf("http://metadata.google.internal./"), expected);
  assert.deepEqual(asked, []);
});

test("an IP address is refused as blocked, which reveals nothing", async () => {
  for (const host of ["10.0.0.7", "127.0.0.1:9", "[::1]", "localhost", "169.254.169.254"])
    assert.match(await toldOf(`http://${host}/`), /target_blocked/, host);
});
