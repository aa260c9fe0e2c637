/** A browser that serves one capture at a time, each in a fresh context prepared in advance. */

import { timeoutSignal, untilAborted, untilEnded, withDeadline } from "../shared/deadline.ts";
import { isFailure } from "../shared/errors.ts";
import { type BrowserProxy, type TabRequest, withoutConnections } from "./browser-proxy.ts";
import { checkRendering } from "./canary.ts";
import type { Chromium } from "./chromium.ts";
import { BrowserLost, noFirstImage, PageCrashed, throwHung, tooMany } from "./chromium-errors.ts";
import { documentStart } from "./document-start.ts";
import { ownWorld } from "./own-world.ts";
import type { ProtocolSession } from "./protocol.ts";
import { memoryOf, type Supervisor } from "./supervisor.ts";
import { createTab, type Tab } from "./tab.ts";

/** Reason for replacing a browser; a metric label. */
type RetireReason = "died" | "hung" | "unclean" | "worn";

export interface Slot {
  pid(): number;
  alive(): boolean;
  /** Whether the browser must be replaced because of what its last capture did. */
  isSpoiled(): boolean;
  /** Runs one capture in the prepared tab. Call `renew` afterwards, whatever the outcome. */
  run<T>(request: TabRequest, use: (tab: Tab) => Promise<T>): Promise<T>;
  /**
   * Destroys the used context and prepares the next one. Returns the reason if the browser had to be replaced.
   * @throws if no browser can be started; the slot is then unusable.
   */
  renew(): Promise<RetireReason | undefined>;
  close(): Promise<void>;
}

interface PreparedTab {
  session: ProtocolSession;
  browserContextId: string;
  frameId: string;
}

interface Browser {
  chromium: Chromium;
  proxy: BrowserProxy;
  prepared: PreparedTab;
}

type Launch = () => Promise<Omit<Browser, "prepared">>;

/** State of a browser after its last capture. `stopped`: it hung, or its page exceeded a budget, so the pipe may be closed. */
type Condition = "clean" | "unclean" | "stopped";

const replacementTimeoutMs = 20_000;
/** Timeout for destroying a context and preparing the next one. Chromium takes 50 ms to destroy one, or 2 s after a flood of events. */
const disposeTimeoutMs = 5_000;
/** How long to wait for a capture's work to end once its calls fail. Work that never ends would occupy the slot forever. */
const endGraceMs = 1_000;

/** Browsers grow with use: after this many captures, or with this much memory when idle, replacing them is cheaper. */
const capturesMax = 500;
const idleMemoryMaxBytes = 600 * 1024 * 1024;
const measureMemoryEvery = 50;

const captureEnded = new Error("The capture has ended");

/** @param firstTimeoutMs timeout for checking the first browser after `launch`. @throws if no browser can be started. */
export async function createSlot(launch: Launch, supervisor: Supervisor, firstTimeoutMs = replacementTimeoutMs): Promise<Slot> {
  let browser = await open(launch, firstTimeoutMs);
  let captures = 0;
  let condition: Condition = "clean";

  const retireReason = async (): Promise<RetireReason | undefined> => {
    const { chromium } = browser;
    if (!chromium.connected()) return condition === "stopped" ? "unclean" : "died";
    if (condition !== "clean") return "unclean";
    if (captures >= capturesMax) return "worn";
    if (captures % measureMemoryEvery === 0 && memoryOf(chromium.pid) > idleMemoryMaxBytes) return "worn";
    return (await replaceContext(browser)) ? undefined : "hung";
  };

  return {
    pid: () => browser.chromium.pid,
    alive: () => browser.chromium.connected(),
    isSpoiled: () => condition !== "clean" || !browser.chromium.connected(),
    run: async (request, use) => {
      captures += 1;
      const trouble = new AbortController();
      try {
        return await runIn(browser, supervisor, { ...request, trouble }, use);
      } catch (error) {
        // A hung browser would also hang the next capture. Disconnected clients and rejected pages don't mean that the browser is faulty.
        if (trouble.signal.aborted) condition = "stopped";
        else if (error instanceof BrowserLost || error instanceof PageCrashed || isFailure(request.signal.reason, "target_timeout"))
          condition = "unclean";
        throw error;
      }
    },
    renew: async () => {
      const reason = await retireReason();
      if (reason) {
        await shut(browser);
        browser = await open(launch, replacementTimeoutMs);
        captures = 0;
        condition = "clean";
      }
      return reason;
    },
    close: () => shut(browser),
  };
}

interface WatchedRequest extends TabRequest {
  /** Aborts when the browser hangs or the page exceeds a budget. */
  trouble: AbortController;
}

async function runIn<T>(
  browser: Browser,
  supervisor: Supervisor,
  { captureId, signal, deadlineAt, proxy: upstream, trouble }: WatchedRequest,
  use: (tab: Tab) => Promise<T>,
): Promise<T> {
  const { chromium, proxy } = browser;
  const unwatch = supervisor.watch({
    pid: chromium.pid,
    ping: () => chromium.session.send("Browser.getVersion"),
    onTrouble: (error) => trouble.abort(error),
  });
  const [ended, released] = [AbortSignal.any([signal, trouble.signal]), new AbortController()];
  chromium.limitEvents(() => trouble.abort(tooMany("events")));
  // At the data limit, the page is captured as far as it has loaded.
  const onLimit = (limit: string) => limit === "data" || trouble.abort(tooMany(limit));
  proxy.begin(captureId, onLimit, upstream && { ...upstream, deadlineAt });
  try {
    const tabOn = (opened: PreparedTab): Tab =>
      createTab(opened.session, {
        frameId: opened.frameId,
        agent: chromium.agent,
        signal: AbortSignal.any([ended, released.signal]),
        refusals: proxy.refusals,
        hasConnected: proxy.hasConnected,
        closeConnections: proxy.end,
        browser: chromium.session,
        replace: async () => {
          if (!(await replaceContext(browser))) throwHung("Target.disposeBrowserContext", disposeTimeoutMs);
          return tabOn(browser.prepared);
        },
        beside: (work) => withTemporary(chromium, (temporary) => work(tabOn(temporary))),
      });
    return await untilEnded(use(tabOn(browser.prepared)), ended, endGraceMs);
  } finally {
    released.abort(captureEnded); // otherwise abandoned waits would never end
    unwatch();
    proxy.end();
  }
}

/** Returns false if the browser failed or didn't respond in time. */
async function replaceContext(browser: Browser): Promise<boolean> {
  const { chromium, prepared } = browser;
  const replaced = chromium.session.send("Target.disposeBrowserContext", { browserContextId: prepared.browserContextId }).then(async () => {
    browser.prepared = await prepareTab(chromium);
    return true;
  });
  return await withDeadline(replaced, disposeTimeoutMs, () => false).catch(() => false);
}

async function open(launch: Launch, timeoutMs: number): Promise<Browser> {
  const { chromium, proxy } = await launch();
  try {
    const deadline = timeoutSignal(timeoutMs, () => noFirstImage(timeoutMs));
    const reporting = chromium.session.send("Target.setDiscoverTargets", { discover: true, filter: [{ type: "worker" }] });
    const [prepared] = await untilAborted(Promise.all([prepareTab(chromium), checkChromium(chromium, deadline), reporting]), deadline);
    return { chromium, proxy, prepared };
  } catch (error) {
    await shut({ chromium, proxy });
    throw error;
  }
}

/** Renders a test page in a temporary context. @throws {NoText} if the browser has no fonts; another error if it doesn't respond. */
export async function checkChromium(chromium: Chromium, signal: AbortSignal): Promise<void> {
  await withTemporary(chromium, ({ session, frameId }) => checkRendering(createTab(session, { frameId, signal, ...withoutConnections })));
}

async function shut({ chromium, proxy }: Omit<Browser, "prepared">): Promise<void> {
  proxy.end();
  await chromium.close();
  await proxy.close();
}

/** A blank tab in a fresh context, with every setting that doesn't depend on capture options. */
async function prepareTab({ session: browser, attach, webgl, agent }: Chromium): Promise<PreparedTab> {
  const { browserContextId } = await browser.send("Target.createBrowserContext", { disposeOnDetach: true });
  const [{ targetId }] = await Promise.all([
    // Away from the mouse at (0, 0), which would hover what is there. Some pages choose a layout by `outerWidth`, so not 800 × 600.
    browser.send("Target.createTarget", { url: "about:blank", browserContextId, left: 1, top: 1, width: 1280, height: 720 }),
    browser.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId }),
  ]);
  const session = await attach(targetId);
  // A dialog blocks the page until it is answered. `beforeunload` asks whether to leave the page, so it is accepted.
  const answer = (accept: boolean) => session.send("Page.handleJavaScriptDialog", { accept }).catch(() => {});
  session.on("Page.javascriptDialogOpening", ({ type }) => void answer(type === "beforeunload"));
  await Promise.all([
    session.send("Page.enable"),
    session.send("Page.setPrerenderingAllowed", { isAllowed: false }),
    session.send("Emulation.setFocusEmulationEnabled", { enabled: true }), // otherwise only one of several tabs has focus
    session.send("Emulation.setUserAgentOverride", agent),
    session.send("Page.addScriptToEvaluateOnNewDocument", { source: documentStart(webgl), worldName: ownWorld }),
  ]);
  return { session, browserContextId, frameId: targetId }; // a page's main frame has the same id as its target
}

/** Lends a tab in a context that exists only until `use` has ended. */
async function withTemporary<T>(chromium: Chromium, use: (tab: PreparedTab) => Promise<T>): Promise<T> {
  const temporary = await prepareTab(chromium);
  try {
    return await use(temporary);
  } finally {
    const disposed = chromium.session.send("Target.disposeBrowserContext", { browserContextId: temporary.browserContextId });
    await withDeadline(disposed, disposeTimeoutMs, () => {}).catch(() => {}); // the browser is lost, or has hung and will be replaced
  }
}
