/** A lent browser that is still getting its session when its client leaves. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { LentBrowser, LentBrowsers } from "../../src/browser/cdp-browsers.ts";
import type { Tab } from "../../src/browser/tab.ts";
import { createBrowserSessions } from "../../src/cdp/sessions.ts";

test("a client that leaves while its session is being restored gives its browser back, and the minute", async () => {
  const calls: string[] = [];
  const note = (call: string) => async () => void calls.push(call);
  const browser = { withPage: (work: (page: Tab) => Promise<unknown>) => work({} as Tab), close: note("closed") } as unknown as LentBrowser;
  const browsers = { open: async () => browser, stop: () => {} } as unknown as LentBrowsers;
  const restoring = Promise.withResolvers<void>();
  const restored = Promise.withResolvers<void>();
  const parts = {
    openPageSession: async () => () => {
      restoring.resolve();
      return restored.promise;
    },
    minutes: { charge: note("charged"), refund: note("refunded") },
    metrics: { browserSessionsRefused: { inc: () => {} } },
  } as unknown as Parameters<typeof createBrowserSessions>[1];
  const sessions = createBrowserSessions(browsers, parts, new AbortController().signal);
  const client = new AbortController();
  const wanted = { key: { userId: "one" }, block: [], session: "shop", signal: client.signal } as unknown as Parameters<
    typeof sessions.open
  >[0];
  const opening = sessions.open(wanted);
  await restoring.promise;
  client.abort(new Error("the client is gone"));
  const outcome = await Promise.race([
    opening.then(
      () => "opened",
      (error: Error) => error.message,
    ),
    new Promise((resolve) => setTimeout(resolve, 500, "still waits")),
  ]);
  restored.resolve(); // otherwise its deadline would keep this process running
  assert.deepEqual([outcome, calls], ["the client is gone", ["charged", "closed", "refunded"]]);
});
