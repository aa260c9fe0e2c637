/** Signs in for a page session by performing its sign-in steps in a separate tab. */

import { BrowserLost } from "../../browser/chromium-errors.ts";
import type { Tab } from "../../browser/tab.ts";
import { AppError } from "../../shared/errors.ts";
import { stateLengthMax, storageState } from "../../shared/storage-state.ts";
import { failureOf, readFacts } from "../loading/navigate.ts";
import type { Limits, Work } from "../option-group.ts";
import { type CaptureOptions, groups, schemaOf } from "../options.ts";
import type { Capture, CaptureRequest, OpenedPage, SignIn } from "../request.ts";
import { classify, type Verdict, type VerdictKind } from "../verdict/verdict.ts";
import { readState } from "./keep-session.ts";

/** Thrown in place of a capture that shows a sign-in page, if the session's sign-in steps may be tried again. */
export class SignedOut extends Error {
  override readonly name = "SignedOut";
  readonly signIn: SignIn;
  /** The capture of the sign-in page, in case signing in fails. Rejects if the caller doesn't accept such a page. */
  readonly shown: Promise<Capture>;

  constructor(signIn: SignIn, shown: Promise<Capture>) {
    super("The page asks for a sign-in");
    this.signIn = signIn;
    this.shown = shown;
    shown.catch(() => {});
  }
}

/** The parts of the current capture that a sign-in uses. */
export interface SigningIn extends Pick<CaptureRequest, "deadlineAt" | "signal" | "permission" | "proxy"> {
  limits: Limits;
  /** Loads the page in the tab and performs the steps of `plan`. */
  show(tab: Tab, options: CaptureOptions, plan: SignIn): Promise<OpenedPage>;
}

const pollMs = 300;
const attemptsMax = 4;
const retryMs = 500;
/** Time reserved for the capture after the sign-in. */
const reservedMs = 3_000;

/**
 * Signs in, or waits while another capture is doing so.
 * @param tab must be replaced afterward.
 * @returns why signing in failed, as a sentence without its period; undefined if the session has a new state.
 */
export async function signIn(tab: Tab, plan: SignIn, signing: SigningIn): Promise<string | undefined> {
  if (signing.proxy?.isEncryptedOnly && new URL(plan.url).protocol !== "https:") return readByProxy;
  const left = () => Math.floor(signing.deadlineAt - reservedMs - performance.now());
  await signing.permission; // a refused capture must not count as a failed sign-in
  const begun = await plan.begin(left(), () => tab.pause(pollMs));
  if (begun === "renewed") return undefined;
  if (begun !== "begun") return begun.refused;
  const leftMs = Math.max(1, left()); // `begin` may have waited
  try {
    const late = { failure: `signing in took longer than ${Math.round(leftMs / 1000)} s` };
    return await plan.end((await tab.resultWithin(leftMs, stateAfter(tab, plan, signing))) ?? late);
  } catch (error) {
    if (signing.signal.aborted || error instanceof BrowserLost) {
      await plan.end("interrupted");
      throw error; // a retry in another browser may succeed
    }
    const failure = failureOf(error);
    const reason = failure instanceof AppError ? textOf(failure).replace(/\.$/, "") : "the page kept changing";
    return await plan.end({ failure: reason });
  }
}

const readByProxy = "the sign-in page is not encrypted, so the request's proxy could read what is typed";

/** Doesn't quote the page, which could repeat what was typed; the usual message for a download contains the file's name. */
const textOf = ({ code, message }: AppError) => (code === "not_a_page" ? "The sign-in leads to a download or an empty page" : message);

const stillSignedOut =
  "after the steps, the page still asks for a sign-in. Check the user name and password, and that the steps submit the form and wait for the next page";

const failures: Partial<Record<VerdictKind, string>> = {
  error_page: "after the steps, the page shows an error",
  bot_wall: "after the steps, the page shows a bot check",
};

/**
 * Why the sign-in failed, judging by the page after the steps, as a sentence without its period; undefined if it succeeded. A sign-in
 * page's own reasons are left out, because they are written for a capture that expects another page. An error page with a password field
 * counts as a sign-in page, since the response to a wrong password may have an error status.
 */
function failureIn({ kind, reasons: [strongest] }: Verdict, passwordFields: number): string | undefined {
  if (kind === "login_wall" || (kind === "error_page" && passwordFields > 0)) return stillSignedOut;
  const failure = failures[kind];
  return failure && [failure, strongest].filter(Boolean).join(". ").replace(/\.$/, "");
}

/** Retries, because the application's scripts may still be redirecting. */
async function factsOf(work: Work): ReturnType<typeof readFacts> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readFacts(work);
    } catch (error) {
      if (attempt === attemptsMax || error instanceof AppError || error instanceof BrowserLost) throw error;
      await work.tab.pause(retryMs);
    }
  }
}

type Ended = Exclude<Parameters<SignIn["end"]>[0], "interrupted">;

async function stateAfter(tab: Tab, plan: SignIn, { limits, show }: SigningIn): Promise<Ended> {
  const { url, steps } = plan;
  const { work } = await show(tab, schemaOf(groups, limits).parse({ url, steps }), plan);
  const { target, signals } = await factsOf(work);
  const shown = new URL(target.url);
  await work.typing?.reach(shown);
  // Pretend that another page was requested, so that a form still shown at the steps' URL also counts as a sign-in page.
  const requested = new URL("/", work.url);
  const { verdict } = await classify({ ...signals, requested, shown, status: target.status, isBlank: false });
  const failure = failureIn(verdict, signals.passwordFields);
  if (failure !== undefined) return { failure };
  const { success, data } = storageState.safeParse(await readState(tab, () => true, []));
  if (!success) return { failure: "the sign-in set no cookies or localStorage items, or too many of them" };
  if (JSON.stringify(data).length > stateLengthMax) return { failure: "the cookies and localStorage are too large after the sign-in" };
  return { state: data, hosts: [work.url.hostname, shown.hostname] };
}
