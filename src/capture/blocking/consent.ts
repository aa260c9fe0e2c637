/** Says no to cookies for the caller, where a page asks in a way that is known; never says yes. */

import { isDocumentReplaced, isScriptTerminated } from "../../browser/chromium-errors.ts";
import type { Tab } from "../../browser/tab.ts";
import { begin, prelude } from "../in-page/consent.ts";
import { anyMatches } from "../in-page/elements.ts";
import type { Lifecycle } from "../main-frame.ts";
import { compiled } from "./lists.ts";

/**
 * How far the engine has come in a page; it moves on through these.
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

interface News {
  progress: Progress;
  /** Code that rules want to be run beside the page's own scripts, to ask the page's consent tool for a no. */
  evals: { id: string; code: string }[];
}

/** For a tool that is in the page to show its banner. A page is ready by now, so most have; a hidden one never shows. */
const bannerMs = { shown: 700, hidden: 50 };
/** For all clicks of a no; the longest ways lead through settings. */
const refusalMs = 5_000;
const evalTimeoutMs = 500;
/** For a banner to slide out, or the page to begin to load itself again. */
const farewellMs = 400;
const reloadMs = 3_000;

interface Asked {
  /** Of the page that is shown. */
  url: string;
  /** Whether what is known of banners has been hidden already; then only another one is waited for. */
  banners: keyof typeof bannerMs;
}

/** Call when the page is ready. Resolves with whether a banner was there and has been answered. @throws as the tab does. */
export async function refuseCookies(tab: Tab, lifecycle: Lifecycle, { url, banners }: Asked): Promise<boolean> {
  const [engine, rules] = await Promise.all([compiled("consent.js", String), compiled("consent-rules.json", readRules)]);
  if (!engine || !rules) return false;
  const { json, traces } = rules(url);
  const isLikely = await tab.evaluate(anyMatches, traces);
  if (!isLikely) return false;
  const source = `(${prelude})(); ${engine}\n(${begin})(${json})`;
  const refused = await converse(tab, source, bannerMs[banners]);
  if (refused) {
    await tab.within(farewellMs, new Promise(() => {}));
    await tab.within(reloadMs, lifecycle.reached("load"));
  }
  return refused;
}

async function converse(tab: Tab, source: string, patienceMs: number): Promise<boolean> {
  let progress: Progress = "loading";
  try {
    const { executionContextId } = await tab.send("Page.createIsolatedWorld", { frameId: tab.frameId, worldName: "consent" });
    const until = performance.now() + refusalMs;
    let bannerUntil = until;
    for (let words = source; ; ) {
      const news = await exchange(tab, executionContextId, words, Math.min(until, bannerUntil) - performance.now());
      if (!news) return false;
      progress = news.progress;
      if (progress === "nothingDetected" || progress === "optOutFailed") return false;
      if (progress === "done" || progress === "optOutSucceeded") return true;
      if (progress === "cmpDetected" && bannerUntil === until) bannerUntil = performance.now() + patienceMs;
      if (progress === "openPopupDetected" || progress === "runningOptOut") bannerUntil = until;
      words = news.evals.length > 0 ? await answersTo(tab, news.evals) : "";
    }
  } catch (error) {
    // Some pages load themselves again once they have their answer; one that did before is looked at as it is.
    if (isDocumentReplaced(error)) return progress === "runningOptOut";
    throw error;
  }
}

/** Says `words` in the engine's world and waits for what it has to say then; `undefined` when that takes longer than `ms`. */
async function exchange(tab: Tab, contextId: number, words: string, ms: number): Promise<News | undefined> {
  const asked = tab.send(
    "Runtime.evaluate",
    { expression: `${words}\n;nextNews()`, contextId, returnByValue: true, awaitPromise: true },
    Number.POSITIVE_INFINITY,
  );
  const answer = await tab.resultWithin(Math.max(0, ms), asked);
  return answer?.result.value as News | undefined;
}

async function answersTo(tab: Tab, evals: News["evals"]): Promise<string> {
  const codes = evals.map(({ code }) => code);
  const results = await evaluateInPage(tab, codes);
  const answers = evals.map(({ id }, index) => ({ type: "evalResp", id, result: results[index] ?? false }));
  return `for (const answer of ${JSON.stringify(answers)}) autoconsentReceiveMessage(answer)`;
}

/** The engine's own code, where the page's scripts are: it can do there no more than they can, and only a yes or no comes back. */
async function evaluateInPage(tab: Tab, codes: string[]): Promise<boolean[]> {
  const guarded = codes.map((code) => `(() => { try { return !!(${code}) } catch { return false } })()`);
  const answer = await tab
    .send("Runtime.evaluate", { expression: `[${guarded.join(",")}].join()`, returnByValue: true, timeout: evalTimeoutMs })
    .catch((error) => {
      if (isScriptTerminated(error)) return undefined;
      throw error;
    });
  return String(answer?.result.value)
    .split(",")
    .map((word) => word === "true");
}

/** A step of a rule's detection; `e` and `v` are `exists` and `visible` with a string's number. */
interface DetectionStep {
  e?: number;
  v?: number;
  exists?: string | string[];
  visible?: string | string[];
  any?: DetectionStep[];
  if?: DetectionStep;
}

/** The rules as they are published: `[minimum version, name, cosmetic, address, frames, hidden early, detection, …]`, numbers for strings. */
interface CompactRules {
  v: number;
  s: string[];
  r: [number, string, number, string, number, unknown, DetectionStep[], ...unknown[]][];
  index: { genericStringEnd: number };
}

interface RulesFor {
  json: string;
  /** One of them matches in every page that a rule is about: starting the engine costs more than looking. */
  traces: string[];
}

/** Gives the rules that are for a page: some hundred for all pages, and those for its own address. */
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

/** Of the platforms that the engine knows by code instead of rules. */
const builtInTraces = [
  "[id*=onetrust],[class*=onetrust],[id^=ot-sdk]",
  "[id*=Cookiebot],[id*=cookiebanner],script[src*=cookiebot]",
  "[id^=sp_message],[class*=sp_message]",
  "[id^=cmpbox],[id^=cmpwrapper],script[src*=consentmanager]",
  "[id*=truste],[class*=truste],[id*=trustarc],script[src*=trustarc]",
  "[id*=evidon],.klaro,[class*=unic],[class*=cmp-root],[class*=conversant],[class*=admiral],[id*=admiral]",
  "tiktok-cookie-banner,[id*=consent],[class*=consent],[id*=gdpr],[class*=gdpr],[id*=cookie],[class*=cookie]",
];

/** What a step of a rule looks for. A list leads into shadow roots, from its first selector on. */
function selectorsIn(step: DetectionStep, strings: string[]): string[] {
  const looked = [step.e, step.v, step.exists, step.visible].map((what) => (typeof what === "number" ? strings[what] : what));
  const first = looked.map((what) => (Array.isArray(what) ? what[0] : what)).filter((what) => what && !what.startsWith("xpath"));
  const inner = [...(step.any ?? []), ...(step.if ? [step.if] : [])].flatMap((other) => selectorsIn(other, strings));
  return [...(first as string[]), ...inner];
}
