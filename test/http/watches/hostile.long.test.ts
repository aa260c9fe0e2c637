/** Watches with hostile pages and callers. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileScope } from "../../support/scope.ts";
import { productPage, startWatching } from "./watching.ts";

const { site, service, send, learned, run } = await startWatching(fileScope());

test("watch learning: characters that the database can't store are removed from region names", async () => {
  const { key } = await service.createAccount();
  let turn = 0;
  site.serve({
    "/nul": (_, response) => {
      turn += 1;
      const more = `<script>document.querySelector(".intro").insertAdjacentHTML("afterend", "<p class=visitors></p>");
        document.querySelector(".visitors").textContent = "\\0 <b>${turn}\\ud800 visitors</b>";</script>`;
      response.setHeader("content-type", "text/html; charset=utf-8").end(productPage("19 €", more));
    },
  });
  const watch = await learned(key, { url: `${site.origin}/nul` });
  assert.equal(watch.muted.length, 1, JSON.stringify(watch));
  assert.deepEqual(
    watch.recent.map(({ status }: { status: string }) => status),
    ["learning", "learning", "learning"],
  );
  assert.equal((await run(key, watch.id)).status, "unchanged");
});

test("watch learning: regions whose selector is too long to store are muted by their box", async () => {
  const { key } = await service.createAccount();
  let turn = 0;
  const names = Array.from({ length: 900 }, (_, at) => [...`${at * 7919 + 104_729}`].map((digit) => "bcdfghklmn"[Number(digit)]).join(""));
  const nested = names.map((name) => `<div class="${name}"></div><div class="${name}">`).join("");
  site.serve({
    "/deep": (_, response) => {
      turn += 1;
      response.setHeader("content-type", "text/html; charset=utf-8").end(productPage("19 €", `${nested}<p>${turn * 7} visitors`));
    },
  });
  const watch = await learned(key, { url: `${site.origin}/deep` });
  assert.deepEqual(
    watch.muted.map(({ kind }: { kind: string }) => kind),
    ["box"],
    JSON.stringify(watch),
  );
  assert.equal((await run(key, watch.id)).status, "unchanged");
});

test("POST watches: an empty webhook_url is rejected rather than treated as absent", async () => {
  const { key } = await service.createAccount();
  const { status, json } = await send("POST", "/v1/watches", key, { url: site.origin, webhook_url: "" });
  assert.deepEqual([status, json.details?.[0]?.parameter], [400, "webhook_url"]);
});
