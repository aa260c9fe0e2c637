/** Loads the target: navigates to it or, if the caller sent a document that needs no address, writes that into the blank page. */

import { isDeepStrictEqual } from "node:util";
import { isImageFormat, isLog } from "../../shared/formats.ts";
import { type CaptureOptions, hasNoHost, namesSet } from "../options.ts";
import { reachOf } from "../plan-loads.ts";
import type { CaptureRequest, LoadedPage } from "../request.ts";
import { interceptRequests } from "./interception.ts";
import { navigate } from "./navigate.ts";
import { standsAlone } from "./stands-alone.ts";

/**
 * Sets everything that the server or the page's first scripts can observe, then loads the target.
 * @param isOnlyOutput whether the page is captured only once. @param outputs of the load.
 */
export async function load(
  page: LoadedPage,
  { options, permission }: Pick<CaptureRequest, "options" | "permission">,
  isOnlyOutput = false,
  outputs: readonly CaptureOptions[] = [options],
): Promise<void> {
  const { work, mainFrame, groups } = page;
  const { tab } = work;
  const document = isOnlyOutput && mainFrame.rules.length === 0 ? documentToWrite(options) : undefined;
  const rules = document === undefined ? [...groups.flatMap((group) => group.requests?.(options, work.url) ?? []), ...mainFrame.rules] : [];
  if (outputs.some(({ format }) => isLog(format))) await (await import("../documents.ts")).startLogs(work, outputs);
  await Promise.all([
    permission, // the page is requested only after this barrier, when the screenshot has been reserved
    interceptRequests(tab, rules, (...blocked) => [work.recorder, work.record].map((one) => one?.blocked(...blocked))),
    ...groups.map((group) => group.show?.(options, work)),
    ...groups.map((group) => group.beforeNavigation?.(options, work)),
  ]);
  if (!isDeepStrictEqual(work.agent, tab.agent)) await tab.send("Emulation.setUserAgentOverride", work.agent);
  if (document === undefined) await navigate(work);
  else await write(page, document);
}

/**
 * The caller's HTML if its image is the same at any address and the request needs nothing but the image. Such a document needs no
 * navigation and no interception, which cost as much as rendering it.
 */
function documentToWrite(options: CaptureOptions): string | undefined {
  const { html, wait_until, format, prefers_color_scheme } = options;
  if (html === undefined || !hasNoHost(options) || !namesSet(options).every((name) => name === "html")) return undefined;
  if (prefers_color_scheme === "dark") return undefined; // the blank page's dark background would stay
  const isImage = format === "jpg" || isImageFormat(format);
  const isWithinView = reachOf(options) === 0; // a larger image needs the script that runs before a document's own
  const waitsForNetwork = wait_until.some((moment) => moment.startsWith("networkidle"));
  return isImage && isWithinView && !waitsForNetwork && standsAlone(html) ? html : undefined;
}

/** Puts the document in place of the blank page and waits for its load event. */
async function write({ work, mainFrame }: LoadedPage, html: string): Promise<void> {
  const { tab, lifecycle } = work;
  const put = async () => {
    const loaded = tab.once("Page.loadEventFired");
    await Promise.all([tab.send("Page.setDocumentContent", { frameId: tab.frameId, html }, Number.POSITIVE_INFINITY), loaded]);
  };
  await put();
  if (mainFrame.documents() > 0) await put(); // the blank page was shown late, and replaced it
  lifecycle.beginLoaded();
  work.written = html;
  work.recorder?.step("the document was written");
  work.waitsFor = "the page to be ready";
  tab.prepareWorld();
}
