/**
 * The rows of docs/quota.md that are the same for every role, as tests of a service that handles requests, with its own browsers or with
 * workers.
 */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { pino } from "pino";
import { createQuotaSweep } from "../../src/accounts/usage/sweep.ts";
import { eventually } from "../support/eventually.ts";
import type { TestService } from "../support/service.ts";
import { closedPage, colouredPage, type Site } from "../support/site.ts";

export const small = { width: "200", height: "100", format: "png" };
/** Several megabytes as a PNG, more than a connection's buffers hold. */
const noise = `<!doctype html><style>*{margin:0}</style><canvas width=900 height=900></canvas><script>
  const context = document.querySelector("canvas").getContext("2d");
  const image = context.createImageData(900, 900);
  for (let at = 0; at < image.data.length; at += 1) image.data[at] = at % 4 === 3 ? 255 : Math.random() * 256;
  context.putImageData(image, 0, 0);
</script>`;

export function createCosts({ pool, database, used }: Pick<TestService, "pool" | "database" | "used">) {
  const sweep = createQuotaSweep({ database, log: pino({ level: "silent" }) });
  return {
    sweep,
    used,
    /** What the account has been charged once nothing is pending and every response is confirmed; a sweep doesn't refund any of it. */
    async paid(userId: string): Promise<number> {
      await eventually("nothing is pending", async () => {
        const { rows } = await pool.query(
          `select from screenshots where user_id = $1 and status = 'pending'
           union all select from captures where user_id = $1 and (answer_by is not null or status in ('queued', 'running'))`,
          [userId],
        );
        return rows.length === 0;
      });
      await sweep.run();
      return await used(userId);
    },
    async records(userId: string): Promise<{ id: string; status: string; error: string | null; costs: number; stored: boolean }[]> {
      const { rows } = await pool.query(
        "select id, status, error, costs, object_key is not null as stored from screenshots where user_id = $1 order by id",
        [userId],
      );
      return rows;
    },
  };
}

export function testCosts(service: TestService, site: Site): void {
  const { paid, records } = createCosts(service);
  site.serve({ "/": colouredPage("#00ff00"), "/noise": noise, "/reset": (request) => request.socket.destroy() });
  const url = `${site.origin}/`;
  const take = async (query: Record<string, string>, init: RequestInit = {}) => {
    const response = await fetch(`${service.origin}/v1/screenshots/take?${new URLSearchParams({ url, ...small, ...query })}`, init);
    await response.arrayBuffer();
    return response;
  };

  test("costs: a delivered screenshot costs one, even without the image: json, empty, HEAD, 304", async () => {
    const { key: api_key, userId } = await service.createAccount();
    const first = await take({ api_key });
    const others = [
      await take({ api_key, response_type: "json" }),
      await take({ api_key, response_type: "empty" }),
      await take({ api_key }, { method: "HEAD" }),
      await take({ api_key }, { headers: { "if-none-match": first.headers.get("etag") ?? "" } }),
    ];
    assert.deepEqual(
      [first, ...others].map(({ status, headers }) => [status, headers.get("x-cache")]),
      [200, 200, 204, 200, 304].map((status) => [status, "MISS"]),
    );
    assert.equal(await paid(userId), 5);
  });

  test("costs: stored screenshots (HIT, STALE), refused requests and failed captures cost nothing", async () => {
    const { key: api_key, userId } = await service.createAccount();
    const stored = { api_key, url: `${site.origin}/kept`, stale_if_error: "3600" };
    site.serve({ "/kept": colouredPage("#00ff00") });
    const answers = [await take(stored)];
    await eventually("it is stored", async () => (await records(userId))[0]?.stored === true);
    const again = () => take({ ...stored, is_cached: "true" });
    await eventually(
      "the capture has ended, including for the requests that share it",
      async () => (await again()).headers.get("x-cache") === "HIT",
    );
    answers.push(await again());
    site.serve({ "/kept": (request) => request.socket.destroy() });
    answers.push(await take(stored));
    answers.push(await take({ api_key, width: "none" }));
    answers.push(await take({ api_key, url: "http://10.0.0.1/" }));
    answers.push(await take({ api_key, selector: "#missing" }));
    answers.push(await take({ api_key, url: `${site.origin}/reset` }));
    assert.deepEqual(
      answers.map(({ status, headers }) => headers.get("x-cache") ?? `${status} ${headers.get("x-error-code")}`),
      ["MISS", "HIT", "STALE", "400 invalid_parameters", "400 target_blocked", "400 selector_not_found", "400 connection_failed"],
    );
    assert.equal(await paid(userId), 1);
  });

  test("costs: concurrent identical requests cost one in total", async () => {
    const { key: api_key, userId } = await service.createAccount();
    const page = closedPage(site, "/shared");
    const answers = Array.from({ length: 3 }, () => take({ api_key, url: `${site.origin}/shared` }));
    await eventually("it runs", page.requested);
    page.open();
    assert.deepEqual((await Promise.all(answers)).map(({ headers }) => headers.get("x-cache")).sort(), ["COALESCED", "COALESCED", "MISS"]);
    assert.equal(await paid(userId), 1);
  });

  test("costs: a caller who disconnects during the response is charged for one screenshot, which is stored", async () => {
    const { key, userId } = await service.createAccount();
    const query = new URLSearchParams({ api_key: key, url: `${site.origin}/noise`, format: "png", width: "900", height: "900" });
    const { status, headers, body } = await fetch(`${service.origin}/v1/screenshots/take?${query}`);
    const reader = body?.getReader();
    const received = (await reader?.read())?.value?.length ?? 0;
    await reader?.cancel();
    const length = Number(headers.get("content-length"));
    assert.ok(status === 200 && received < length / 10, `${received} of ${length} bytes`);
    assert.equal(await paid(userId), 1);
    await eventually("it is stored", async () => (await records(userId))[0]?.stored === true);
    assert.deepEqual(
      (await records(userId)).map(({ status, costs }) => [status, costs]),
      [["done", 1]],
    );
  });

  test("costs: async captures, batches and requests with an Idempotency-Key cost one per completed capture, whether fetched or not", async () => {
    const { key, userId } = await service.createAccount();
    const post = async (path: string, body: object, headers = {}) => {
      const all = { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers };
      const response = await fetch(service.origin + path, { method: "POST", headers: all, body: JSON.stringify(body) });
      await response.arrayBuffer();
      return response.status;
    };
    const capture = { url, width: 200, height: 100, outputs: [{ name: "image" }, { name: "words", format: "text" }] };
    const repeated = { "idempotency-key": randomUUID() };
    const statuses = [
      await post("/v1/captures", { ...capture, async: true }),
      await post("/v1/captures", capture, repeated),
      await post("/v1/captures", capture, repeated),
      await post("/v1/batches", { shared: { width: 200, height: 100 }, captures: [{ url }, { url: `${site.origin}/reset` }] }),
    ];
    assert.deepEqual(statuses, [202, 200, 200, 202]);
    assert.equal(
      await paid(userId),
      3,
      "one for the async capture, one for the two identical requests, one for the batch, half of which failed",
    );
  });
}
