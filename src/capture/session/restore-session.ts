/** Gives a blank tab a session's cookies and storage. */

import type { Protocol } from "devtools-protocol";
import type { Tab } from "../../browser/tab.ts";
import { AppError } from "../../shared/errors.ts";
import type { StorageState, StoredOrigin } from "../../shared/storage-state.ts";
import { restoreDatabase, restoreItems } from "../in-page/storage.ts";
import { asResponse } from "../loading/interception.ts";
import type { CaptureRequest } from "../request.ts";
import { type SigningIn, signIn } from "./sign-in.ts";

/**
 * Opens the session with this name, performs its sign-in steps if the capture must begin with them, and restores its state.
 * @returns the session and the tab that has its state: a new tab after a sign-in, otherwise the given one.
 * @throws {AppError} `sign_in_failed`; anything that `open` throws.
 */
export async function startSession(given: Tab, name: string, open: CaptureRequest["openSession"], signing: SigningIn) {
  let tab = given;
  let session = await open?.(name);
  if (session?.signIn?.isNeeded) {
    const failure = await signIn(tab, session.signIn, signing);
    if (failure !== undefined) throw signInFailed(failure);
    tab = await tab.replace();
    const renewed = await open?.(name);
    if (renewed?.signIn?.isFirst) throw signInFailed("the session was changed or deleted during the sign-in"); // it has no state
    // If a sign-in page still appears, it is captured: a capture signs in only once.
    session = renewed && { ...renewed, signIn: undefined };
  }
  const warning = session && (await restoreSession(tab, session.state));
  return session && { ...session, tab, warnings: warning === undefined ? [] : [warning] };
}

const signInFailed = (failure: string) => new AppError("sign_in_failed", { message: `The session could not sign in: ${failure}.` });

/**
 * Restores cookies and storage. Call this before anything tracks the tab's documents. No requests reach a server: each origin's
 * storage is filled from an empty document.
 * @returns a warning if something could not be restored.
 */
export async function restoreSession(tab: Tab, { cookies, origins }: StorageState): Promise<string | undefined> {
  let failed = await setCookies(tab, cookies);
  if (origins.length > 0) {
    await tab.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] });
    for (const origin of origins) failed += await fill(tab, origin);
    await tab.send("Fetch.disable");
    await show(tab, "about:blank");
    // Chromium refuses this while the blank document moves to another process; the page then merely sees a longer history.
    await tab.send("Page.resetNavigationHistory").catch(() => {});
  }
  return failed === 0 ? undefined : `${failed} of the session's cookies, storage items and databases could not be restored`;
}

/** Chromium sets all cookies or none: if one is invalid, they are set one by one. @returns the number of rejected cookies. */
async function setCookies(tab: Tab, cookies: StorageState["cookies"]): Promise<number> {
  if (cookies.length === 0) return 0;
  const given = cookies.map(cookieParameter);
  const set = (some: typeof given) =>
    tab.send("Network.setCookies", { cookies: some }).then(
      () => true,
      (error) => {
        if (error instanceof Error && /cookie/i.test(error.message)) return false;
        throw error;
      },
    );
  if (await set(given)) return 0;
  let rejected = 0;
  for (const one of given) if (!(await set([one]))) rejected += 1;
  return rejected;
}

function cookieParameter({ expires, sameSite, partitionKey, _crHasCrossSiteAncestor, ...cookie }: StorageState["cookies"][number]) {
  const parameter: Protocol.Network.CookieParam = cookie;
  if (expires >= 0) parameter.expires = expires;
  if (sameSite) parameter.sameSite = sameSite;
  if (partitionKey) parameter.partitionKey = { topLevelSite: partitionKey, hasCrossSiteAncestor: _crHasCrossSiteAncestor ?? false };
  return parameter;
}

/** @returns the number of items and databases that could not be restored. */
async function fill(tab: Tab, { origin, localStorage, indexedDB }: StoredOrigin): Promise<number> {
  const requested = tab.once("Fetch.requestPaused");
  // Awaited together, so that neither rejection is unhandled if the capture ends.
  await Promise.all([
    show(tab, `${origin}/`),
    requested.then(({ requestId }) => tab.send("Fetch.fulfillRequest", { requestId, ...asResponse("<!doctype html>") })),
  ]);
  // On a busy machine, restoring a large state can take longer than the limit for a hung browser, so only the capture's deadline applies.
  let failed = await tab.waitFor(restoreItems, localStorage);
  for (const database of indexedDB) if (!(await tab.waitFor(restoreDatabase, database))) failed += 1;
  return failed;
}

async function show(tab: Tab, url: string): Promise<void> {
  const navigated = tab.once("Page.frameNavigated", ({ frame }) => frame.id === tab.frameId);
  await Promise.all([navigated, tab.send("Page.navigate", { url })]);
}
