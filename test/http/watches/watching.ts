/** A site whose pages change, an account with watches, and a webhook receiver; for tests over HTTP. */

import assert from "node:assert/strict";
import { eventually as eventuallyWithin } from "../../support/eventually.ts";
import type { Scope } from "../../support/scope.ts";
import { type Json, startService } from "../../support/service.ts";
import { createSite } from "../../support/site.ts";

/** A longer timeout than elsewhere: a learning watch takes three captures. */
export const eventually = (what: string, isTrue: () => boolean | Promise<boolean>) => eventuallyWithin(what, isTrue, 180_000);

/** A product page. */
export function productPage(price: string, more = ""): string {
  return `<!doctype html><title>Shop</title><style>body{font:20px/1.5 sans-serif;margin:20px;width:600px}</style>
    <h1>Shop</h1><p class="intro">We sell kettles, and always have.</p><p class="price">Price: <b>${price}</b></p>${more}<p class="end">All prices with tax.</p>`;
}

export async function startWatching(scope: Scope, settings: Record<string, string> = {}) {
  const site = await createSite(scope, { "/": productPage("19 €") });
  const service = await startService(scope, {
    EGRESS_ALLOWED_HOSTS: site.host,
    WEBHOOK_ALLOW_HTTP: "true",
    WATCH_INTERVAL_MIN_SECONDS: "1",
    ...settings,
  });

  const { send, used } = service;

  async function read(key: string, id: string): Promise<Json> {
    const { status, json } = await send("GET", `/v1/watches/${id}`, key);
    assert.equal(status, 200, JSON.stringify(json));
    return json;
  }

  /** Waits until `isTrue` returns true for the watch, and returns it. */
  async function watchWhen(key: string, id: string, what: string, isTrue: (watch: Json) => boolean): Promise<Json> {
    let watch: Json;
    await eventually(what, async () => {
      watch = await read(key, id);
      return isTrue(watch);
    }).catch((error) => assert.fail(`${error.message}: ${JSON.stringify(watch)}`));
    return watch;
  }

  async function create(key: string, body: object): Promise<Json> {
    const { status, json } = await send("POST", "/v1/watches", key, { width: 700, height: 500, ...body });
    assert.equal(status, 201, JSON.stringify(json));
    return json;
  }

  /** A watch whose first runs have ended. */
  async function learned(key: string, body: object): Promise<Json> {
    const { id } = await create(key, body);
    return await watchWhen(key, id, "it has finished learning", ({ phase }) => phase === "watching");
  }

  /** A watch whose first run has ended and is the baseline, and that has finished learning. */
  async function settled(key: string, body: object): Promise<Json> {
    const { id } = await create(key, body);
    await eventually("the first run has ended", async () => (await read(key, id)).accepted_run_id !== null);
    await service.pool.query("update watches set learned = 3, next_run_at = now() + interval '1 day' where id = $1", [id]);
    return await watchWhen(key, id, "no run is in progress", ({ latest_run }) => latest_run.ended_at !== null);
  }

  /** Runs the watch now. @returns the run once it has ended. */
  async function run(key: string, id: string): Promise<Json> {
    const begun = await send("POST", `/v1/watches/${id}/run`, key);
    assert.equal(begun.status, 202, JSON.stringify(begun.json));
    let ended: Json;
    await eventually("the run has ended", async () => {
      ended = (await send("GET", `/v1/watches/${id}/runs/${begun.json.id}`, key)).json;
      return ended.ended_at !== null;
    });
    return ended;
  }

  /** Starts a webhook receiver and returns its URL. */
  function receiver(path: string): { address: string; received: { id: string; type: string; data: Json }[] } {
    const received: { id: string; type: string; data: Json }[] = [];
    site.serve({
      [path]: async (request, response) => {
        let text = "";
        for await (const chunk of request) text += chunk;
        received.push({ id: String(request.headers["webhook-id"]), ...JSON.parse(text) });
        response.end();
      },
    });
    return { address: `${site.origin}${path}`, received };
  }

  return { site, service, send, read, watchWhen, create, learned, settled, run, receiver, used };
}
