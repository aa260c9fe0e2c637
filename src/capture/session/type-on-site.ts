/** Types a sign-in's secrets only on the sign-in page's site and on hosts that the caller has named. */

import type { Tab } from "../../browser/tab.ts";
import { AppError } from "../../shared/errors.ts";
import { parseUrl, siteOf } from "../../shared/urls.ts";
import { typeWhereFocused } from "../in-page/type-where-focused.ts";
import type { SignIn } from "../request.ts";

/**
 * Returns a function that types into the focused field, which may be in a frame. Nothing is typed into an unencrypted page if the sign-in
 * page is encrypted. The function throws an `AppError` `sign_in_failed` if it may not type there, with a message without its period, and
 * anything that `count` throws.
 * @param count called before anything is typed on a page, with whether the field may be for a password.
 */
export function typesOnSite(
  tab: Tab,
  { url, signInHosts }: Pick<SignIn, "url" | "signInHosts">,
  count: (page: URL, isForPassword: boolean) => Promise<void>,
): (text: string) => Promise<void> {
  const signInPage = new URL(url);
  const site = siteOf(signInPage.hostname);
  const mayType = ({ protocol, hostname }: URL) =>
    (protocol === "https:" || protocol === signInPage.protocol) && (siteOf(hostname) === site || signInHosts.includes(hostname));
  return async (text) => {
    const { origin, isForPassword } = await tab.evaluate(typeWhereFocused, "", ""); // types nothing
    const page = parseUrl(origin ?? "");
    if (!page || !mayType(page)) throw refused(origin, [site, ...signInHosts]);
    await count(page, isForPassword);
    if ((await tab.evaluate(typeWhereFocused, text, page.origin)).origin !== page.origin) throw refused(origin, [site, ...signInHosts]);
  };
}

/** Wraps `count` so that it is called only once for each site. */
export function oncePerSite(count: (page: URL) => Promise<void>): (page: URL) => Promise<void> {
  const counted = new Set<string>();
  return async (page) => {
    const site = siteOf(page.hostname);
    if (counted.has(site)) return;
    await count(page);
    counted.add(site);
  };
}

/** Wraps `count` so that it isn't called for the first page of each site. */
export function exceptOncePerSite(count: (page: URL) => Promise<void>): (page: URL) => Promise<void> {
  const known = new Set<string>();
  return async (page) => {
    const site = siteOf(page.hostname);
    if (known.has(site)) await count(page);
    known.add(site);
  };
}

function refused(origin: string | null, allowed: string[]): AppError {
  const where =
    origin === null ? "in a frame of another origin" : origin === "null" ? "on a page without an origin" : `on ${origin.slice(0, 300)}`;
  const message = `The field is ${where}, but the steps may type only on ${allowed.join(", ")}; list other hosts in sign_in_hosts to allow them`;
  return new AppError("sign_in_failed", { message });
}
