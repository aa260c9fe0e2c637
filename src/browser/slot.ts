/** One browser that serves one capture at a time, each in a fresh context that was prepared before it was asked for. */

import type { CDPSession } from "puppeteer-core";
import type { Chromium } from "./chromium.ts";
import { createTab, type Refusal, type Tab } from "./tab.ts";

/** The way out of one browser, as the egress wall gives it. */
export interface Lane {
  /** `http://127.0.0.1:port` */
  readonly proxyServer: string;
  /** Opens the way for one capture and forgets what was refused to the one before. */
  begin(captureId: string): void;
  refusals(): readonly Refusal[];
  /** Cuts every connection; nothing gets out until the next `begin`. */
  end(): void;
  close(): Promise<void> | void;
}

export interface Slot {
  readonly pid: number;
  alive(): boolean;
  /** Lends the prepared tab for one capture. Call `renew` afterwards, whatever came of it. */
  lend<T>(captureId: string, signal: AbortSignal, use: (tab: Tab) => Promise<T>): Promise<T>;
  /** Destroys the used context and prepares the next; `false` when the browser did not obey in time and must be closed. */
  renew(): Promise<boolean>;
  close(): Promise<void>;
}

interface Prepared {
  session: CDPSession;
  browserContextId: string;
  frameId: string;
}

/** Chromium ends everything of a context within 50 ms, floods of events within 2 s; past that something hangs. */
const disposeTimeoutMs = 2_000;

/** Takes over `chromium` and `lane` and closes both, also when it fails. */
export async function createSlot(chromium: Chromium, lane: Lane): Promise<Slot> {
  const close = async () => {
    lane.end();
    await chromium.close();
    await lane.close();
  };
  let prepared: Prepared;
  try {
    prepared = await prepare(chromium);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    pid: chromium.pid,
    alive: chromium.connected,
    lend: async (captureId, signal, use) => {
      const { session, frameId } = prepared;
      lane.begin(captureId);
      try {
        return await use(createTab(session, { frameId, signal, refusals: () => lane.refusals() }));
      } finally {
        lane.end();
      }
    },
    renew: async () => {
      const renewed = chromium.session
        .send("Target.disposeBrowserContext", { browserContextId: prepared.browserContextId })
        .then(async () => {
          prepared = await prepare(chromium);
          return true;
        });
      const tooLate = new Promise<false>((resolve) => setTimeout(resolve, disposeTimeoutMs, false).unref());
      return await Promise.race([renewed.catch(() => false), tooLate]);
    },
    close,
  };
}

/** A blank tab in a context of its own, with everything set that no option of a capture changes. */
async function prepare(chromium: Chromium): Promise<Prepared> {
  const { session: browser } = chromium;
  const { browserContextId } = await browser.send("Target.createBrowserContext", { disposeOnDetach: true });
  const [{ targetId }] = await Promise.all([
    browser.send("Target.createTarget", { url: "about:blank", browserContextId }),
    browser.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId }),
  ]);
  const session = await chromium.attach(targetId);
  // A dialog stops the page until somebody answers.
  session.on("Page.javascriptDialogOpening", () => void session.send("Page.handleJavaScriptDialog", { accept: false }).catch(() => {}));
  await Promise.all([
    session.send("Page.enable"),
    session.send("Page.setLifecycleEventsEnabled", { enabled: true }),
    session.send("Emulation.setUserAgentOverride", { userAgent: chromium.userAgent, userAgentMetadata: clientHints(chromium.version) }),
  ]);
  return { session, browserContextId, frameId: targetId }; // a page's main frame has its target's id
}

/** Client hints that agree with a user agent without "Headless". */
function clientHints(version: string) {
  const major = version.split(".")[0] ?? version;
  const brands = (number: string, other: string) => [
    { brand: "Chromium", version: number },
    { brand: "Not)A;Brand", version: other },
  ];
  return {
    brands: brands(major, "24"),
    fullVersionList: brands(version, "24.0.0.0"),
    platform: "Linux",
    platformVersion: "",
    architecture: "x86",
    model: "",
    mobile: false,
    bitness: "64",
  };
}
