/** Large AVIF images wait for their encoder: an account's captures do so before they take browsers that others need. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "../../support/eventually.ts";
import { fileScope } from "../../support/scope.ts";
import { startService } from "../../support/service.ts";
import { colouredPage, createSite } from "../../support/site.ts";

const scope = fileScope();
const opened = Promise.withResolvers<void>();
const page = colouredPage("#00ff00");
const site = await createSite(scope, {
  "/": page,
  "/closed": async (_, response) => {
    await opened.promise;
    response.setHeader("content-type", "text/html").end(page);
  },
});
const service = await startService(scope, {
  EGRESS_ALLOWED_HOSTS: site.host,
  MAX_CONCURRENT_SCREENSHOTS: "4",
  SCREENSHOT_TIMEOUT: "90000",
});

test("of an account's captures of large AVIF images two have a browser at a time; small ones and those of others don't wait", async () => {
  const [{ key }, { key: other }] = [await service.createAccount(), await service.createAccount()];
  const take = (path: string, options: Record<string, string>, of = key) =>
    service
      .take({ url: site.origin + path, api_key: of, format: "avif", width: "60", height: "60", timeout: "85", ...options })
      .then(({ status }) => status);
  const closed = () => site.requests.filter(({ path }) => path === "/closed").length;
  const large = Array.from({ length: 4 }, (_, index) => take("/closed", { full_page: "true", width: String(60 + index) }));
  await eventually("two are being captured", () => closed() >= 2);
  assert.deepEqual(await Promise.all([take("/", {}), take("/", { full_page: "true", format: "png" }, other)]), [200, 200]);
  await pause(500);
  assert.equal(closed(), 2);
  opened.resolve();
  assert.deepEqual(await Promise.all(large), [200, 200, 200, 200]);
});
