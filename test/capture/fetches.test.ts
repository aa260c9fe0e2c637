/** A page's fetches, by the order in which Chromium reports them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tab } from "../../src/browser/tab.ts";
import { followFetches } from "../../src/capture/loading/fetches.ts";

/** A tab that reports what the test tells it to. */
function reportingTab() {
  const listeners = new Map<string, ((event: unknown) => void)[]>();
  const tab = {
    frameId: "main",
    on: (name: string, listener: (event: unknown) => void) => listeners.set(name, [...(listeners.get(name) ?? []), listener]),
    send: async () => ({}),
  } as unknown as Tab;
  const report = (name: string, event: unknown) => {
    for (const listener of listeners.get(name) ?? []) listener(event);
  };
  return { tab, report };
}

const paused = (requestId: string) => ({ requestId, resourceType: "XHR", request: { url: "http://site.example/a", method: "GET" } });
const navigated = { frame: { id: "main", url: "http://site.example/" } };

test("wait_until=auto: a fetch that is reported before its document, as on a busy machine, is pending; fetches from earlier documents are not", () => {
  const { tab, report } = reportingTab();
  let documents = 0;
  tab.on("Page.frameNavigated", () => {
    documents += 1;
  });
  const fetches = followFetches(
    tab,
    () => false,
    () => documents,
  );
  report("Fetch.requestPaused", paused("1"));
  report("Page.frameNavigated", navigated);
  assert.deepEqual([fetches.arePending(), fetches.urls()], [true, ["http://site.example/a"]]);
  report("Page.frameNavigated", navigated);
  assert.equal(fetches.arePending(), false);
});
