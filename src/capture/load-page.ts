/** The first stages of a capture: prepares a tab with the session's state, loads the page in it, and waits until it is ready. */

import { isDeepStrictEqual } from "node:util";
import type { Tab } from "../browser/tab.ts";
import { isImageFormat } from "../shared/formats.ts";
import type { Recorder } from "./explanation.ts";
import { interceptRequests } from "./loading/interception.ts";
import { followLifecycle, followMainFrame } from "./loading/main-frame.ts";
import { mayBeReplaced, navigate } from "./loading/navigate.ts";
import { createReadiness } from "./loading/readiness.ts";
import { standsAlone } from "./loading/stands-alone.ts";
import type { Limits, ShotSettings, Work } from "./option-group.ts";
import { addressOf, type CaptureOptions, groupsFor, hasNoHost, namesSet } from "./options.ts";
import type { CaptureRequest, OpenedPage } from "./request.ts";
import { startSession } from "./session/restore-session.ts";
import { type SignedOut, type SigningIn, signIn } from "./session/sign-in.ts";
import { exceptOncePerSite, oncePerSite, typesOnSite } from "./session/type-on-site.ts";

/** Prepares a blank tab for the stages of a capture. If the capture has a session, restores its state in the tab. */
export async function openPage(given: Tab, request: CaptureRequest, limits: Limits, recorder?: Recorder): Promise<OpenedPage> {
  const { options, account, deadlineAt, mayNavigate, openSession } = request;
  const session = options.session ? await startSession(given, options.session, openSession, signingIn(request, limits)) : undefined;
  const tab = session?.tab ?? given;
  const mainFrame = followMainFrame(tab, mayNavigate);
  const signInWarning = request.signInWarning === undefined ? [] : [request.signInWarning];
  const warnings = { output: new Set<string>(), load: new Set([...signInWarning, ...(session?.warnings ?? [])]) };
  const url = addressOf(options);
  const work: Work = {
    tab,
    account,
    url,
    limits,
    deadlineAt,
    startTyping: request.startTyping,
    lifecycle: followLifecycle(tab),
    readiness: createReadiness(tab, url, mainFrame),
    agent: { ...tab.agent },
    shot: initialShot(),
    recorder,
    warn: (message) => void warnings.output.add(message),
    warnAll: (message) => void warnings.load.add(message),
  };
  return { work, warnings, mainFrame, session, groups: groupsFor(options), times: { queue: 0, started: performance.now() } };
}

/** The initial shot, before any group has contributed to it. */
export function initialShot(): ShotSettings {
  return {
    viewport: { width: 0, height: 0 },
    scale: 1,
    format: "jpeg",
    quality: 80,
    isTransparent: false,
    fit: {},
    isMeasured: false,
    mayBeCut: false,
  };
}

/** Reuses the loaded page for another output. */
export function pageFor(loaded: OpenedPage, options: CaptureOptions): OpenedPage {
  const started = performance.now();
  const output = new Set<string>();
  const work: Work = { ...loaded.work, shot: initialShot(), warn: (message) => void output.add(message) };
  return {
    ...loaded,
    work,
    warnings: { ...loaded.warnings, output },
    groups: groupsFor(options),
    times: { queue: 0, started, navigated: started, ready: started },
  };
}

/**
 * Applies all options that the server or the page's first scripts can observe, then navigates to the target; `afterNavigation` waits until
 * it is ready. If the caller sent a document that needs no address, writes it into the blank page instead.
 * @param outputs all outputs to capture from this load; empty for a sign-in.
 */
export async function load(
  page: OpenedPage,
  { options, permission, beforeLoad }: Pick<CaptureRequest, "options" | "permission" | "beforeLoad">,
  outputs: readonly CaptureOptions[],
): Promise<void> {
  const { work, mainFrame, groups } = page;
  const { tab } = work;
  const document = outputs.length === 1 && mainFrame.rules.length === 0 ? documentToWrite(options) : undefined;
  const rules = document === undefined ? [...groups.flatMap((group) => group.requests?.(options, work.url) ?? []), ...mainFrame.rules] : [];
  const archives = outputs.filter(({ format }) => format === "har");
  if (archives.length > 0) {
    const { recordRequests } = await import("./logs/request-record.ts");
    work.record = await recordRequests(tab, {
      keepsBodies: archives.some(({ har_bodies }) => har_bodies === "text"),
      keepsSecrets: archives.some(({ har_secrets }) => har_secrets),
    });
  }
  await Promise.all([
    permission, // resolves once quota has been reserved; the page must not be requested earlier
    interceptRequests(tab, rules, (...blocked) => [work.recorder, work.record].map((one) => one?.blocked(...blocked))),
    ...groups.map((group) => group.show?.(options, work)),
    ...groups.map((group) => group.beforeNavigation?.(options, work)),
  ]);
  if (!isDeepStrictEqual(work.agent, tab.agent)) await tab.send("Emulation.setUserAgentOverride", work.agent);
  await beforeLoad?.();
  if (document === undefined) await navigate(work);
  else await write(page, document);
}

/**
 * Returns the caller's HTML if it looks the same at any address and the request needs nothing but an image of it. Such a document needs
 * neither navigation nor interception, which cost as much as rendering it.
 */
function documentToWrite(options: CaptureOptions): string | undefined {
  const { html, wait_until, format, prefers_color_scheme } = options;
  // Other options may need a navigation: full_page, for example, needs a script that runs before the document's own.
  if (html === undefined || !hasNoHost(options) || !namesSet(options).every((name) => name === "html")) return undefined;
  if (prefers_color_scheme === "dark") return undefined; // the blank page's dark background would stay
  const isImage = format === "jpg" || isImageFormat(format);
  const waitsForNetwork = wait_until.some((moment) => moment.startsWith("networkidle"));
  return isImage && !waitsForNetwork && standsAlone(html) ? html : undefined;
}

/** Replaces the content of the blank page with the document and waits for its load event. */
async function write({ work, mainFrame }: OpenedPage, html: string): Promise<void> {
  const { tab, lifecycle } = work;
  const put = async () => {
    const loaded = tab.once("Page.loadEventFired");
    await Promise.all([tab.send("Page.setDocumentContent", { frameId: tab.frameId, html }, Number.POSITIVE_INFINITY), loaded]);
  };
  await put();
  if (mainFrame.documents() > 0) await put(); // the blank page was shown late, and replaced the document
  lifecycle.beginLoaded();
  work.written = html;
  work.recorder?.step("the document was written");
  work.waitsFor = "the page to be ready";
  tab.prepareWorld();
}

/** Waits for the page and prepares it. @param edits whether to run the `edit` stage, which only the first output of a load needs. */
export async function runReadyStages(page: OpenedPage, options: CaptureOptions, edits: boolean): Promise<void> {
  const { work, groups, times } = page;
  times.navigated = performance.now();
  await runStage(page, options, "afterNavigation");
  if (edits) for (const group of groups) await group.edit?.(options, work);
  await runStage(page, options, "afterReady");
  times.ready = performance.now();
}

/** When a document is replaced, calls may fail before the event that reports the replacement arrives. This is the event's maximum delay. */
const replacedMs = 300;

/**
 * If another document replaces the page during the stage, and time allows, runs the stage once more, because that document has been neither
 * waited for nor scrolled through. If yet another document follows, `take-shot.ts` captures the page with its scripts stopped.
 */
async function runStage(page: OpenedPage, options: CaptureOptions, stage: "afterNavigation" | "afterReady"): Promise<void> {
  const { work, groups, warnings } = page;
  const { tab, readiness, lifecycle } = work;
  const run = async () => {
    for (const group of groups) await group[stage]?.(options, work);
  };
  const [started, known, replaced] = [performance.now(), new Set(warnings.output), lifecycle.replaced()];
  try {
    await run();
    const isInTime = work.deadlineAt - performance.now() > 2 * (performance.now() - started);
    if (readiness.documentsSince() !== 1 || !isInTime) return;
  } catch (error) {
    if (!mayBeReplaced(error) || !(await tab.within(replacedMs, replaced))) throw error;
  }
  work.recorder?.step("another document replaced the page; the capture waited for it");
  work.waitsFor = "the page to be ready";
  for (const warning of warnings.output) if (!known.has(warning)) warnings.output.delete(warning);
  Object.assign(work.shot, {
    hidContent: false,
    changesOnScroll: false,
    movesLayers: false,
    completeHeight: undefined,
    scrolledHeight: undefined,
  });
  readiness.restart();
  if (stage === "afterReady") readiness.invalidate();
  await run().catch((error) => {
    if (!mayBeReplaced(error)) throw error; // `take-shot.ts` handles a page that is replaced yet again
  });
}

/** @param tab must be replaced afterward. @returns whether to repeat the capture, and a warning that tells the caller the outcome. */
export async function signInAgain(tab: Tab, { signIn: plan }: SignedOut, request: SessionRequest, limits: Limits) {
  const failure = await signIn(tab, plan, signingIn(request, limits));
  const isDone = failure === undefined;
  const outcome = isDone ? "signing in again succeeded" : `signing in again failed: ${failure}`;
  return { isDone, warning: `the session was no longer signed in, and ${outcome}` };
}

type SessionRequest = Omit<CaptureRequest, "options">;

function signingIn(request: SessionRequest, limits: Limits): SigningIn {
  return {
    ...request,
    limits,
    show: async (tab, options, plan) => {
      const page = await openPage(tab, { ...request, options }, limits);
      const reach = oncePerSite(async (shown) => await request.countTyping?.(shown, plan));
      const again = exceptOncePerSite(async (shown) => await request.countTyping?.(shown, plan, true));
      const type = typesOnSite(tab, plan, async (shown, isForPassword) => {
        await reach(shown);
        if (isForPassword) await again(shown);
      });
      page.work.typeText = async (text) => {
        await type(text);
        page.work.typing = { reach, countPassword: async () => {}, countFailure: async () => {} }; // `type` counts, even if sign-in fails
      };
      const shown = load(page, { ...request, options }, []).then(() => runReadyStages(page, options, true));
      await Promise.race([page.mainFrame.forbidden, shown]);
      return page;
    },
  };
}
