/** A page's fetches, by the order in which Chromium reports them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { PrepareChild, Target } from "../../src/browser/children.ts";
import type { Tab } from "../../src/browser/tab.ts";
import { followFetches } from "../../src/capture/loading/fetches.ts";

/** A session that reports what the test tells it to. */
function reportingSession() {
  const listeners = new Map<string, ((event: unknown) => void)[]>();
  return {
    on: (name: string, listener: (event: unknown) => void) => void listeners.set(name, [...(listeners.get(name) ?? []), listener]),
    send: async () => ({}),
    report: (name: string, event: unknown = {}) => {
      for (const listener of listeners.get(name) ?? []) listener(event);
    },
  };
}

function reportingTab() {
  const { report, ...session } = reportingSession();
  const prepares: PrepareChild[] = [];
  const attachChildren = async (prepare: PrepareChild) => void prepares.push(prepare);
  const tab = { frameId: "main", ...session, attachChildren } as unknown as Tab;
  /** Attaches to a worker, which then reports what the test tells it to. */
  const attach = async (id: string) => {
    const worker = reportingSession();
    for (const prepare of prepares) await prepare(worker as unknown as Target, { id, type: "worker", isWaiting: true });
    return worker;
  };
  return { tab, report, attach };
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

test("wait_until=auto: a worker is pending until its script has been evaluated or can't be loaded, and while it imports or fetches", async () => {
  const { tab, attach } = reportingTab();
  const none = () => false;
  const { workers, arePending } = followFetches(tab, none, () => 1);
  workers.start("of another page", "elsewhere");
  assert.equal(arePending(), false);
  workers.start("one", "main");
  workers.start("inner", "one");
  workers.start("missing", "main");
  const [one, inner] = [await attach("one"), await attach("inner")];
  workers.end("missing");
  assert.equal(arePending(), true);
  one.report("Inspector.workerScriptLoaded");
  assert.equal(arePending(), true);
  const request = { method: "GET", url: "http://site.example/imported.js" };
  inner.report("Network.requestWillBeSent", { requestId: "1", type: "Other", request });
  inner.report("Inspector.workerScriptLoaded");
  assert.equal(arePending(), true);
  inner.report("Network.loadingFinished", { requestId: "1" });
  assert.equal(arePending(), false);
});
