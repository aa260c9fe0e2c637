/** A deleted screenshot is not served by any replica. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileScope } from "../../support/scope.ts";
import { startReplica } from "../../support/service.ts";
import { colouredPage, createSite } from "../../support/site.ts";
import { signedUp, startWithVisitors } from "../../support/visitor.ts";

const scope = fileScope();

test("a screenshot deleted on one replica is not served by another that has it in memory", async () => {
  const site = await createSite(scope, { "/": colouredPage("#ff0000") });
  const one = await startWithVisitors(scope, { ROLE: "all", EGRESS_ALLOWED_HOSTS: site.host });
  const other = await startReplica(scope, one);
  const person = await signedUp(one);
  const key = (await person.post("/v1/account/keys", { name: "site" })).body.secret;
  const asked = { api_key: key, url: `${site.origin}/`, is_cached: "true", width: "30", height: "20" };
  const { id } = await (await one.take({ ...asked, response_type: "json" })).json();
  for (const service of [one, other]) {
    const hit = await service.take(asked);
    assert.equal(hit.headers.get("x-cache"), "HIT");
    assert.equal((await hit.arrayBuffer()).byteLength, Number(hit.headers.get("content-length")));
  }
  assert.equal((await person.ask("DELETE", `/v1/account/screenshots/${id}`)).status, 204);
  const again = await other.take({ ...asked, dry_run: "true" });
  assert.deepEqual([again.status, (await again.json()).cache.state], [200, "MISS"]);
  const taken = await other.take(asked);
  assert.deepEqual([taken.status, taken.headers.get("x-cache")], [200, "MISS"]);
  await taken.arrayBuffer();
});
