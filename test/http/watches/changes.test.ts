/** Watches: a page's change is detected, named and reported once, until it is accepted. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { longOnly } from "../../support/long-only.ts";
import { fileScope } from "../../support/scope.ts";
import { eventually, productPage, startWatching } from "./watching.ts";

const longTest = longOnly(test);
const scope = fileScope();
const watching = await startWatching(scope);
const { site, service, send, read, create, settled, run, receiver, used, watchWhen } = watching;

longTest("watch runs: the first three learn and cost one screenshot each; the first becomes the baseline", async () => {
  const { key, userId } = await service.createAccount();
  const made = await create(key, { url: `${site.origin}/` });
  assert.deepEqual([made.state, made.phase, made.status, made.every, made.cron], ["active", "learning", "new", "1d", null]);
  const watch = await watchWhen(key, made.id, "it has learned", ({ phase }) => phase === "watching");
  assert.deepEqual(
    watch.recent.map(({ status }: { status: string }) => status),
    ["learning", "learning", "learning"],
  );
  assert.equal(watch.accepted_run_id, watch.recent.at(-1).id);
  assert.deepEqual([watch.muted, watch.status], [[], "new"]);
  assert.equal(await used(userId), 3);
  const { screenshot } = watch.latest_run;
  assert.equal(screenshot.width, 700);
  assert.equal((await fetch(screenshot.link)).headers.get("content-type"), "image/png");
  assert.ok(Date.parse(watch.next_run_at) > Date.now() + 3_600_000);
});

test("watch runs: a change is named, marked in an image and reported once, also in the feed, until its run is accepted", async () => {
  const { key } = await service.createAccount();
  const { address, received } = receiver("/hook");
  site.serve({ "/price": productPage("19 €") });
  const { id, feed_url } = await settled(key, { url: `${site.origin}/price`, name: "Kettle", webhook_url: address });
  site.serve({ "/price": productPage("21 €") });
  const changed = await run(key, id);
  assert.equal(changed.status, "changed", JSON.stringify(changed));
  assert.ok(changed.changed_share > 0 && changed.changed_share < 0.1);
  assert.match(JSON.stringify(changed.regions), /19 €.*21 €/);
  const difference = await fetch(changed.difference_link);
  assert.deepEqual([difference.status, difference.headers.get("content-type")], [200, "image/png"]);
  const again = await run(key, id);
  assert.deepEqual([again.status, again.reported], ["changed", false]);
  assert.equal((await read(key, id)).status, "changed");
  await eventually("the webhook has arrived", () => received.length > 0);
  assert.deepEqual(
    received.map(({ id: event, type, data }) => [event, type, data.watch_id, data.run_id, data.name, data.url]),
    [[changed.id, "watch.changed", id, changed.id, "Kettle", `${site.origin}/price`]],
  );
  assert.match(JSON.stringify(received[0]?.data.regions), /19 €.*21 €/);
  const feed = await fetch(feed_url);
  assert.deepEqual([feed.status, feed.headers.get("content-type")], [200, "application/atom+xml; charset=utf-8"]);
  assert.match(await feed.text(), new RegExp(`<id>urn:uuid:${changed.id}</id>`));
  const unsigned = await fetch(feed_url.replace(/\?.*/, ""));
  assert.deepEqual([unsigned.status, (await unsigned.json()).code], [403, "signature_invalid"]);

  const { status, json } = await send("POST", `/v1/watches/${id}/accept`, key);
  assert.deepEqual([status, json.accepted_run_id, json.status], [200, again.id, "unchanged"]);
});

longTest("watch runs: later runs are compared with the accepted one, which may be an earlier one", async () => {
  const { key } = await service.createAccount();
  const { address } = receiver("/accepted");
  site.serve({ "/price": productPage("19 €") });
  const { id } = await settled(key, { url: `${site.origin}/price`, webhook_url: address });
  const same = await run(key, id);
  assert.deepEqual([same.status, same.regions_total, same.difference_link], ["unchanged", 0, null]);
  site.serve({ "/price": productPage("21 €") });
  const again = await run(key, id);
  assert.equal(again.status, "changed");
  for (let turn = 0; turn < 2; turn++) {
    const { status, json } = await send("POST", `/v1/watches/${id}/accept`, key);
    assert.deepEqual([status, json.accepted_run_id, json.status], [200, again.id, "unchanged"]);
  }
  const after = await run(key, id);
  assert.deepEqual([after.status, after.compared_with_run_id], ["unchanged", again.id]);
  site.serve({ "/price": productPage("19 €") });
  const back = await run(key, id);
  assert.deepEqual([back.status, back.reported], ["changed", true], "the accepted run matches the page now");
  await send("POST", `/v1/watches/${id}/accept`, key, { run_id: same.id });
  assert.equal((await run(key, id)).status, "unchanged");
  const { rows } = await service.pool.query("select count(*)::integer as count from webhook_deliveries where url = $1", [address]);
  assert.equal(rows[0].count, 2);
});
