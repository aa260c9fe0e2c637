/** One browser that serves one capture at a time, each in a fresh context that was prepared before it was asked for. */

import { withDeadline } from "../deadline.ts";
import { AppError } from "../errors.ts";
import { proveTab } from "./canary.ts";
import type { Chromium } from "./chromium.ts";
import { BrowserLost, PageCrashed, throwHung } from "./chromium-errors.ts";
import { userAgentOverride } from "./client-hints.ts";
import { createMemoryMeter } from "./memory.ts";
import type { Session } from "./protocol.ts";
import type { Supervisor } from "./supervisor.ts";
import { type Agent, createTab, ownWorld, type Refusal, type Tab } from "./tab.ts";

/** One browser's access to the network, implemented by `egress`. */
export interface Lane {
  /** `socks5://127.0.0.1:port` */
  readonly proxyServer: string;
  /** Opens the way for one capture and forgets what was refused to the one before. `onFlood`: too many of its connections fail. */
  begin(captureId: string, onFlood: () => void): void;
  refusals(): readonly Refusal[];
  /** Whether the browser has connected since `begin`. */
  hasConnected(): boolean;
  /** Cuts every connection; nothing gets out until the next `begin`. */
  end(): void;
  close(): Promise<void> | void;
}

/** Why a browser is replaced. */
export type Wear = "died" | "hung" | "unclean" | "worn";

export interface Slot {
  /** Of the browser that serves it now. */
  pid(): number;
  alive(): boolean;
  /** Lends the prepared tab for one capture. Call `renew` afterwards, whatever came of it. */
  lend<T>(captureId: string, signal: AbortSignal, use: (tab: Tab) => Promise<T>): Promise<T>;
  /**
   * Destroys the used context and prepares the next, in a new browser where the old one is no longer good: then says why.
   * @throws when no browser starts; the slot is of no use then.
   */
  renew(): Promise<Wear | undefined>;
  close(): Promise<void>;
}

/** A browser and its way out. */
interface Place {
  chromium: Chromium;
  lane: Lane;
  prepared: Prepared;
}

interface Prepared {
  session: Session;
  browserContextId: string;
  frameId: string;
}

/** Chromium ends everything of a context within 50 ms, floods of events within 2 s; past that something hangs. */
const disposeTimeoutMs = 2_000;
const canaryTimeoutMs = 10_000;

/** Browsers grow with use: after so many captures, or with so much memory when idle, a new one is cheaper. */
const capturesMax = 500;
const idleMemoryMaxBytes = 600 * 1024 * 1024;
const weighEvery = 50;

/** `launch` starts a browser on its lane. The browser is proved before it serves. @throws when none starts. */
export async function createSlot(launch: () => Promise<Omit<Place, "prepared">>, supervisor: Supervisor): Promise<Slot> {
  let place = await open(launch);
  let captures = 0;
  let clean = true;
  /** The last capture was stopped for what its page did to the browser, of which nothing is read then. */
  let wasStopped = false;

  const wear = async (): Promise<Wear | undefined> => {
    const { chromium, prepared } = place;
    if (!chromium.connected()) return wasStopped ? "unclean" : "died";
    if (!clean) return "unclean";
    if (captures >= capturesMax) return "worn";
    if (captures % weighEvery === 0 && (createMemoryMeter()(new Set([chromium.pid])).get(chromium.pid) ?? 0) > idleMemoryMaxBytes)
      return "worn";
    return (await replaceContext(chromium, prepared)) ? undefined : "hung";
  };
  /** Whether the browser obeyed in time. */
  const replaceContext = async (chromium: Chromium, used: Prepared): Promise<boolean> => {
    const replaced = dispose(chromium, used).then(async () => {
      place.prepared = await prepare(chromium);
    });
    return await withDeadline(
      replaced.then(() => true),
      disposeTimeoutMs,
      () => false,
    ).catch(() => false);
  };

  return {
    pid: () => place.chromium.pid,
    alive: () => place.chromium.connected(),
    lend: async (captureId, signal, use) => {
      const { chromium, lane, prepared } = place;
      captures += 1;
      const trouble = new AbortController();
      const unwatch = supervisor.watch({
        pid: chromium.pid,
        ping: () => chromium.session.send("Browser.getVersion"),
        onTrouble: (error) => trouble.abort(error),
      });
      chromium.limitEvents(() => trouble.abort(tooMuch("events")));
      lane.begin(captureId, () => trouble.abort(tooMuch("failed connections")));
      try {
        const either = AbortSignal.any([signal, trouble.signal]);
        return await use(
          createTab(prepared.session, {
            frameId: prepared.frameId,
            agent: agentOf(chromium),
            signal: either,
            refusals: () => lane.refusals(),
            hasConnected: lane.hasConnected,
          }),
        );
      } catch (error) {
        // What hung once would hang the next capture, too. A caller who left, or was refused, says nothing about the browser.
        wasStopped = trouble.signal.aborted;
        clean = !(error instanceof BrowserLost || error instanceof PageCrashed || wasStopped || isDeadline(signal));
        throw error;
      } finally {
        unwatch();
        lane.end();
      }
    },
    renew: async () => {
      const reason = await wear();
      if (reason) {
        await shut(place);
        place = await open(launch);
        captures = 0;
        clean = true;
        wasStopped = false;
      }
      return reason;
    },
    close: () => shut(place),
  };
}

async function open(launch: () => Promise<Omit<Place, "prepared">>): Promise<Place> {
  const { chromium, lane } = await launch();
  try {
    return {
      chromium,
      lane,
      prepared: await withDeadline(prove(chromium), canaryTimeoutMs, () => throwHung("The first picture", canaryTimeoutMs)),
    };
  } catch (error) {
    await shut({ chromium, lane });
    throw error;
  }
}

/** A tab for the first capture, while another one shows that the browser draws. */
async function prove(chromium: Chromium): Promise<Prepared> {
  const [prepared] = await Promise.all([prepare(chromium), proveChromium(chromium, AbortSignal.timeout(canaryTimeoutMs))]);
  return prepared;
}

/** Takes pictures in a context of their own, which ends with them. @throws as `proveTab` does. */
export async function proveChromium(chromium: Chromium, signal: AbortSignal): Promise<void> {
  const canary = await prepare(chromium);
  const { session, frameId } = canary;
  await proveTab(createTab(session, { frameId, signal, refusals: () => [], hasConnected: () => false }));
  await dispose(chromium, canary);
}

async function shut({ chromium, lane }: Omit<Place, "prepared">): Promise<void> {
  lane.end();
  await chromium.close();
  await lane.close();
}

async function dispose(chromium: Chromium, { browserContextId }: Prepared): Promise<void> {
  await chromium.session.send("Target.disposeBrowserContext", { browserContextId });
}

function tooMuch(what: string): AppError {
  return new AppError("page_too_heavy", { message: `The page causes more ${what} than a capture allows.` });
}

function isDeadline(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof AppError && signal.reason.code === "target_timeout";
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
    session.send("Page.setPrerenderingAllowed", { isAllowed: false }),
    session.send("Emulation.setUserAgentOverride", agentOf(chromium)),
    ...(chromium.webgl ? [] : [session.send("Page.addScriptToEvaluateOnNewDocument", { source: webglWatch, worldName: ownWorld })]),
  ]);
  return { session, browserContextId, frameId: targetId }; // a page's main frame has its target's id
}

/** Runs in every document: notes that a page asked in vain for WebGL, which nothing tells of afterwards. `capture/navigate.ts` reads it. */
const webglWatch = 'addEventListener("webglcontextcreationerror", () => { globalThis.hadNoWebgl = true; }, true)';

/** Without a language of its own, headless Chromium sends no `Accept-Language`. */
function agentOf({ userAgent, version }: Chromium): Agent {
  return { ...userAgentOverride(userAgent, version), acceptLanguage: "en-US,en" };
}
