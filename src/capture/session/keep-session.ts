/** Saves a page's changes to the session that it was loaded with. */

import { isDeepStrictEqual } from "node:util";
import type { Tab } from "../../browser/tab.ts";
import { cookiesMax, isForHost, itemsMax, type StorageState, stateLengthMax, storageState } from "../../shared/storage-state.ts";
import { readItems } from "../in-page/storage.ts";
import type { OpenedPage, OpenSession } from "../request.ts";

/** Saves the state if it has changed. Adds a warning if saving is not possible. */
export async function keepSession({ work, session }: Pick<OpenedPage, "work" | "session">): Promise<void> {
  const problem = session && (await save(work.tab, session));
  if (problem) work.warn(`the session was not updated: ${problem}`);
}

async function save(tab: Tab, session: OpenSession): Promise<string | undefined> {
  try {
    const { success, data } = storageState.safeParse(await readState(tab, (host) => isForHost(session.hosts, host), session.state.origins));
    if (!success || JSON.stringify(data).length > stateLengthMax) return "it would be empty or too large";
    if (isDeepStrictEqual(data, session.state)) return undefined;
    if (!(await session.save(data))) return "it was changed or deleted during the capture";
    session.state = data;
    return undefined;
  } catch {
    return "it could not be read or saved"; // the image is more important
  }
}

const keyOf = ({ domain, path, name }: { domain: string; path: string; name: string }) => `${domain} ${path} ${name}`;

/**
 * Reads the cookies for the session's own hosts, and the localStorage of the shown origin if it is on one of these hosts.
 * @param origins restored storage. It is returned unchanged for other origins; the shown origin keeps its databases.
 */
export async function readState(tab: Tab, isOwn: (host: string) => boolean, origins: StorageState["origins"]): Promise<unknown> {
  const [{ cookies }, shown] = await Promise.all([tab.send("Network.getAllCookies"), tab.evaluate(readItems, stateLengthMax, itemsMax)]);
  const ownDomains = new Set([...new Set(cookies.map(({ domain }) => domain))].filter((domain) => isOwn(domain.replace(/^\./, ""))));
  const own = cookies
    .filter(({ domain }) => ownDomains.has(domain))
    .slice(0, cookiesMax + 1) // a page may set thousands; one over the limit is enough to reject the state
    .map((cookie) => ({ key: keyOf(cookie), cookie }))
    .sort((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key)))
    .map(({ cookie: { name, value, domain, path, expires, session, httpOnly, secure, sameSite, partitionKey } }) => ({
      ...{ name, value, domain, path, expires: session ? -1 : expires, httpOnly, secure },
      ...(sameSite && { sameSite }),
      ...(partitionKey && { partitionKey: partitionKey.topLevelSite, _crHasCrossSiteAncestor: partitionKey.hasCrossSiteAncestor }),
    }));
  if (!shown || !isOwn(new URL(shown.origin).hostname)) return { cookies: own, origins };
  const { origin, items } = shown;
  const indexedDB = origins.find((one) => one.origin === origin)?.indexedDB ?? [];
  const others = origins.filter((one) => one.origin !== origin);
  const isEmpty = items.length + indexedDB.length === 0;
  return { cookies: own, origins: isEmpty ? others : [...others, { origin, localStorage: items, indexedDB }] };
}
