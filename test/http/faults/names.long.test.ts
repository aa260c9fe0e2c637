/** Name servers that are slow, unresponsive or down affect only the requests that need them, and only briefly. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { askOnly, noSuchName, refused, startNameServer } from "../../support/name-server.ts";
import { fileScope } from "../../support/scope.ts";
import { startService, type TestService } from "../../support/service.ts";
import { colouredPage, createSite, type Site } from "../../support/site.ts";

const scope = fileScope();
let site: Site;
let service: TestService;
let key: string;
let asked: string[];

before(async () => {
  site = await createSite(scope, { "/": colouredPage("#ff0000") });
  service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
  ({ key } = await service.createAccount());
  const nameServer = await startNameServer(scope, (name) => {
    if (name.endsWith("missing.example")) return noSuchName;
    if (name.endsWith("refused.example")) return refused;
    return undefined;
  });
  ({ asked } = nameServer);
  askOnly(scope, nameServer.servers);
});

async function ask(url: string, more: Record<string, string> = {}): Promise<string> {
  const response = await service.take({ api_key: key, url, ...more });
  const body = Buffer.from(await response.arrayBuffer());
  const code = response.status === 200 ? "picture" : (JSON.parse(body.toString()).code as string);
  return `${response.status} ${code}`;
}

test("a lookup ends long before the request's deadline, whether the name doesn't exist, is refused or gets no response", async () => {
  for (const host of ["missing.example", "refused.example", "mute.example"]) {
    // At the request's deadline it would be `target_timeout`.
    assert.equal(await ask(`http://${host}/`, { timeout: "30" }), "400 name_not_resolved", host);
    assert.ok(asked.includes(host));
  }
});

test("a request whose deadline passes during the lookup gets target_timeout", async () => {
  assert.equal(await ask("http://mute-too.example/", { timeout: "1" }), "400 target_timeout");
});

test("while twenty lookups hang, other requests get their screenshots, and the twenty cost nothing", async () => {
  let hanging = 20;
  const stuck = Array.from({ length: hanging }, async (_, index) => {
    const answer = await ask(`http://mute-${index}.example/`);
    hanging -= 1;
    return answer;
  });
  const { key: other, userId } = await service.createAccount();
  assert.equal(await ask(`${site.origin}/`, { api_key: other }), "200 picture");
  assert.equal(hanging, 20, "the screenshot arrived while the lookups were hanging");
  assert.deepEqual(await Promise.all(stuck), Array(20).fill("400 name_not_resolved"));
  const { rows } = await service.pool.query("select user_id, used from usage_periods where used > 0");
  assert.deepEqual(rows, [{ user_id: userId, used: 1 }]);
});
