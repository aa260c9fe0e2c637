/** The first stages of a capture: a tab with the state of its session, the page in it, until it is ready. */

import type { Tab } from "../browser/tab.ts";
import type { Recorder } from "./explanation.ts";
import { load } from "./loading/load.ts";
import { followLifecycle, followMainFrame } from "./loading/main-frame.ts";
import { createReadiness } from "./loading/readiness.ts";
import type { Limits, ShotSettings, Work } from "./option-group.ts";
import { addressOf, type CaptureOptions, groupsFor } from "./options.ts";
import type { CaptureRequest, LoadedPage } from "./request.ts";
import { startSession } from "./session/restore-session.ts";
import { type SignedOut, type SigningIn, signIn } from "./session/sign-in.ts";
import { typesOnSite } from "./session/type-on-site.ts";

/** Prepares a blank tab for the stages of a capture, with the state of its session if it has one. */
export async function openPage(given: Tab, request: CaptureRequest, limits: Limits, recorder?: Recorder): Promise<LoadedPage> {
  const { options, owner, deadlineAt, mayNavigate, openSession } = request;
  const session = options.session ? await startSession(given, options.session, openSession, signingIn(request, limits)) : undefined;
  const tab = session?.tab ?? given;
  const mainFrame = followMainFrame(tab, mayNavigate);
  const signInWarning = request.signInWarning === undefined ? [] : [request.signInWarning];
  const warnings = { output: new Set<string>(), load: new Set([...signInWarning, ...(session?.warnings ?? [])]) };
  const url = addressOf(options);
  const work: Work = {
    tab,
    owner,
    url,
    limits,
    deadlineAt,
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

/** The loaded page for another output of its load. */
export function pageFor(loaded: LoadedPage, options: CaptureOptions): LoadedPage {
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

/** Waits for the page (options/waiting.ts) and prepares it. @param edits whether to apply the edits, which happens only once. */
export async function runReadyStages({ work, groups, times }: LoadedPage, options: CaptureOptions, edits: boolean): Promise<void> {
  times.navigated = performance.now();
  for (const group of groups) await group.afterNavigation?.(options, work);
  if (edits) for (const group of groups) await group.edit?.(options, work);
  for (const group of groups) await group.afterReady?.(options, work);
  times.ready = performance.now();
}

/** @param tab is not used afterwards. @returns whether the page may be captured again, and what became of the session, for the caller. */
export async function signInAgain(tab: Tab, { signIn: plan }: SignedOut, request: SessionRequest, limits: Limits) {
  const failure = await signIn(tab, plan, signingIn(request, limits));
  const isDone = failure === undefined;
  const outcome = isDone ? "it was signed in again" : `signing in again failed: ${failure}`;
  return { isDone, warning: `the session was no longer signed in, and ${outcome}` };
}

type SessionRequest = Omit<CaptureRequest, "options">;

function signingIn(request: SessionRequest, limits: Limits): SigningIn {
  return {
    ...request,
    limits,
    show: async (tab, options, plan) => {
      const page = await openPage(tab, { ...request, options }, limits);
      page.work.typeText = typesOnSite(tab, plan);
      const shown = load(page, { ...request, options }).then(() => runReadyStages(page, options, true));
      await Promise.race([page.mainFrame.forbidden, shown]);
      return page;
    },
  };
}
