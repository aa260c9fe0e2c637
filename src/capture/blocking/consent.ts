/** Rejects cookies in consent dialogs; never accepts them. */

import { isDocumentReplaced, isScriptTerminated } from "../../browser/chromium-errors.ts";
import type { Tab } from "../../browser/tab.ts";
import { begin, prelude, rejectByText } from "../in-page/consent.ts";
import { anyMatches } from "../in-page/elements.ts";
import type { Lifecycle } from "../loading/main-frame.ts";
import { compiled } from "./lists.ts";

/**
 * States of the consent engine in a page, in order.
 * https://github.com/duckduckgo/autoconsent/blob/main/api.md
 */
type Progress =
  | "loading"
  | "waitingForInitResponse"
  | "initialized"
  | "started"
  | "nothingDetected"
  | "cmpDetected"
  | "openPopupDetected"
  | "runningOptOut"
  | "optOutSucceeded"
  | "optOutFailed"
  | "done";

interface EngineMessages {
  progress: Progress;
  /** Snippets from the engine's rules that are run in the page's main world, where they call the page's consent tool. */
  evals: { id: string; code: string }[];
}

/** Maximum time for a detected consent tool to show its banner. Most already show it; a hidden banner never appears. */
const bannerMs = { shown: 700, hidden: 50 };
/** Timeout for detecting a dialog and clicking through it; the slowest rejections involve opening the dialog's settings. */
const refusalMs = 5_000;
const evalTimeoutMs = 500;
/** Time for a banner to slide out, or for the page to start reloading. */
const exitAnimationMs = 400;
const reloadMs = 3_000;

interface RefusalContext {
  /** URL of the current document. */
  url: string;
  /** `hidden` if known banners have been hidden, in which case there is probably no banner left to wait for. */
  banners: keyof typeof bannerMs;
}

/**
 * Call when the page is ready. Resolves to true if a banner was found and cookies were rejected.
 * @throws {BrowserHung | BrowserLost | PageCrashed}; the signal's reason if the capture is aborted.
 */
export async function refuseCookies(tab: Tab, lifecycle: Lifecycle, { url, banners }: RefusalContext): Promise<boolean> {
  const refused = (await refuseByRules(tab, url, banners)) || (await refuseByText(tab));
  if (refused) {
    await tab.pause(exitAnimationMs);
    await tab.within(reloadMs, lifecycle.reached("load"));
  }
  return refused;
}

/** Rejects cookies in dialogs that the consent engine knows. */
async function refuseByRules(tab: Tab, url: string, banners: RefusalContext["banners"]): Promise<boolean> {
  const [engine, rules] = await Promise.all([compiled("consent.js", String), compiled("consent-rules.json", readRules)]);
  if (!engine || !rules) return false;
  const { json, traces } = rules(url);
  const isLikely = await tab.evaluate(anyMatches, traces);
  if (!isLikely) return false;
  return await runAutoconsent(tab, `(${prelude})(); ${engine}\n(${begin})(${json})`, bannerMs[banners]);
}

/** Maximum number of clicks: a dialog that is still sliding in may ignore the first one. */
const pressesMax = 3;

/** Rejects cookies in dialogs with a plainly labeled button. */
async function refuseByText(tab: Tab): Promise<boolean> {
  try {
    for (let pressed = 0; pressed < pressesMax; pressed += 1) {
      if (!(await tab.evaluate(rejectByText))) return pressed > 0;
      await tab.pause(exitAnimationMs);
    }
    return true;
  } catch (error) {
    if (isDocumentReplaced(error)) return true;
    throw error;
  }
}

async function runAutoconsent(tab: Tab, source: string, patienceMs: number): Promise<boolean> {
  let progress: Progress = "loading";
  try {
    const { executionContextId } = await tab.send("Page.createIsolatedWorld", { frameId: tab.frameId, worldName: "consent" });
    const until = performance.now() + refusalMs;
    let bannerUntil = until;
    for (let script = source; ; ) {
      const received = await exchange(tab, executionContextId, script, Math.min(until, bannerUntil) - performance.now());
      if (!received) return false;
      progress = received.progress;
      if (progress === "nothingDetected" || progress === "optOutFailed") return false;
      if (progress === "done" || progress === "optOutSucceeded") return true;
      if (progress === "cmpDetected" && bannerUntil === until) bannerUntil = performance.now() + patienceMs;
      if (progress === "openPopupDetected" || progress === "runningOptOut") bannerUntil = until;
      script = received.evals.length > 0 ? await answersTo(tab, received.evals) : "";
    }
  } catch (error) {
    // Some pages reload after a rejection. If the page reloads before that, the attempt has failed.
    if (isDocumentReplaced(error)) return progress === "runningOptOut";
    throw error;
  }
}

/** Evaluates `script` in the engine's world and waits for its next messages; undefined after `ms`. */
async function exchange(tab: Tab, contextId: number, script: string, ms: number): Promise<EngineMessages | undefined> {
  const asked = tab.send(
    "Runtime.evaluate",
    { expression: `${script}\n;nextMessages()`, contextId, returnByValue: true, awaitPromise: true },
    Number.POSITIVE_INFINITY,
  );
  const answer = await tab.resultWithin(Math.max(0, ms), asked);
  return answer?.result.value as EngineMessages | undefined;
}

async function answersTo(tab: Tab, evals: EngineMessages["evals"]): Promise<string> {
  const codes = evals.map(({ code }) => code);
  const results = await evaluateInPage(tab, codes);
  const answers = evals.map(({ id }, index) => ({ type: "evalResp", id, result: results[index] ?? false }));
  return `for (const answer of ${JSON.stringify(answers)}) autoconsentReceiveMessage(answer)`;
}

/** Evaluates the engine's snippets in the page's main world, where they have no more rights than the page. Only booleans are returned. */
async function evaluateInPage(tab: Tab, codes: string[]): Promise<boolean[]> {
  const guarded = codes.map((code) => `(() => { try { return !!(${code}) } catch { return false } })()`);
  const expression = `"" + ${guarded.join('+","+')}`; // calls no function that the page could have replaced
  const answer = await tab.send("Runtime.evaluate", { expression, timeout: evalTimeoutMs }).catch((error) => {
    if (isScriptTerminated(error)) return undefined;
    throw error;
  });
  return String(answer?.result.value)
    .split(",")
    .map((word) => word === "true");
}

/** A step of a rule's detection; `e` and `v` are short for `exists` and `visible`, and contain a string's index in `s`. */
interface DetectionStep {
  e?: number;
  v?: number;
  exists?: string | string[];
  visible?: string | string[];
  any?: DetectionStep[];
  if?: DetectionStep;
}

/** The rules as published: `[minimum version, name, cosmetic, URL pattern, frames, prehide, detection, …]`. */
interface CompactRules {
  v: number;
  s: string[];
  r: [number, string, number, string, number, unknown, DetectionStep[], ...unknown[]][];
  index: { genericStringEnd: number };
}

interface RulesFor {
  json: string;
  /** Selectors; nearly every page with a known dialog matches one of them. Checking them is cheaper than starting the engine. */
  traces: string[];
}

/** Parses the rules. Returns a function that finds a URL's rules: the generic rules, and the rules for its site. */
function readRules(text: Buffer): (url: string) => RulesFor {
  const { v, s, r, index } = JSON.parse(text.toString()) as CompactRules;
  const generic = r.filter(([, , , address]) => address === "");
  const specific = r.filter(([, , , address]) => address !== "").map((rule) => ({ rule, address: new RegExp(rule[3]) }));
  const tracesOf = (rules: CompactRules["r"]) => rules.flatMap((rule) => rule[6].flatMap((step) => selectorsIn(step, s)));
  const genericTraces = [...new Set([...builtInTraces, ...tracesOf(generic)])];
  const forAll = { json: JSON.stringify({ v, s: s.slice(0, index.genericStringEnd), r: generic }), traces: genericTraces };
  return (url) => {
    const own = specific.filter(({ address }) => address.test(url)).map(({ rule }) => rule);
    if (own.length === 0) return forAll;
    return { json: JSON.stringify({ v, s, r: [...generic, ...own] }), traces: [...genericTraces, ...tracesOf(own)] };
  };
}

/** Selectors for consent platforms that the engine handles in code, without rules. */
const builtInTraces = [
  "[id*=onetrust],[class*=onetrust],[id^=ot-sdk]",
  "[id*=Cookiebot],[id*=cookiebanner],script[src*=cookiebot]",
  "[id^=sp_message],[class*=sp_message]",
  "[id^=cmpbox],[id^=cmpwrapper],script[src*=consentmanager]",
  "[id*=truste],[class*=truste],[id*=trustarc],script[src*=trustarc]",
  "[id*=evidon],.klaro,[class*=unic],[class*=cmp-root],[class*=conversant],[class*=admiral],[id*=admiral]",
  "tiktok-cookie-banner,[id*=consent],[class*=consent],[id*=gdpr],[class*=gdpr],[id*=cookie],[class*=cookie]",
];

/** Selectors of a detection step. A list is a path into shadow roots; only its first selector is used. */
function selectorsIn(step: DetectionStep, strings: string[]): string[] {
  const given = [step.e, step.v, step.exists, step.visible].map((what) => (typeof what === "number" ? strings[what] : what));
  const first = given.map((what) => (Array.isArray(what) ? what[0] : what)).filter((what) => what && !what.startsWith("xpath"));
  const inner = [...(step.any ?? []), ...(step.if ? [step.if] : [])].flatMap((other) => selectorsIn(other, strings));
  return [...(first as string[]), ...inner];
}
