/** Blocks requests by list, pattern and resource type, and hides elements. */

import { z } from "zod";
import { assertSelectors, clear, hideUnwanted, type Unwanted } from "../blocking/clear.ts";
import { filterList, type ListName, listNames } from "../blocking/lists.ts";
import { patternProblem } from "../blocking/patterns.ts";
import { listRule, patternRules, resourceRules } from "../blocking/requests.ts";
import { replaceWebSocket } from "../in-page/sockets.ts";
import { resourceTypes } from "../loading/interception.ts";
import { optionGroup, type Work } from "../option-group.ts";
import { lines } from "../parameter-types.ts";

const patternsLengthMax = 4096;
const selectorsLengthMax = 8192;

export const blocking = optionGroup({
  title: "Blocking",
  onlyIfSet: true,
  intro:
    "Blocks requests and hides elements. The filter lists ship with the service and are never downloaded at run time. See [Blocking](blocking.md) for how blocking works and what its limits are.",
  example: { block_ads: "true", block_cookie_banners: "true" },
  parameters: () => ({
    block_ads: z.boolean().default(false).meta({
      output: "load",
      description:
        "Block ads and collapse the space that they would take, using AdGuard's filter lists and EasyList. These lists don't hide anything on `localhost`, `127.0.0.1` and `192.168.*`.",
    }),
    block_trackers: z.boolean().default(false).meta({
      output: "load",
      description: "Block trackers and analytics, using AdGuard's Tracking Protection list, which includes EasyPrivacy.",
    }),
    block_cookie_banners: z.boolean().default(false).meta({
      output: "load",
      description:
        "Remove cookie banners: hide them with AdGuard's Cookie Notices list, and reject cookies in consent dialogs that are known or have an obvious reject button. Cookies are never accepted. If a banner has locked scrolling, scrolling is unlocked.",
    }),
    block_chats: z.boolean().default(false).meta({ output: "load", description: "Block chat and support widgets." }),
    block_requests: lines(patternsLengthMax, patternProblem).meta({
      output: "load",
      description: `Block requests whose URL matches: at most 100 patterns, one per line, ${patternsLengthMax} characters in total. A pattern without \`/\` matches a host and its subdomains, or the last part of the path, such as \`*.png\`. Any other pattern is compared with the whole URL, or with the part that starts at the host or the path. \`*\` is a wildcard. The page itself is never blocked.`,
      examples: [["example.com", "*/banners/*.gif"]],
    }),
    block_resources: z
      .array(z.enum(resourceTypes))
      .max(resourceTypes.length)
      .optional()
      .meta({
        output: "load",
        description:
          "Block resources of these types. `document` blocks frames, never the page itself; `xhr` and `fetch` are equivalent: each blocks both. `websocket` applies to pages and frames, but not to workers.",
        examples: [["image", "font"]],
      }),
    hide_selectors: lines(selectorsLengthMax).meta({
      output: "load",
      description:
        "CSS selectors of elements to hide (`display: none`), one selector or selector list per line. Also applies inside open shadow roots and same-origin frames.",
      examples: [["#newsletter", ".sticky-footer, .promo"]],
    }),
  }),
  requests: (options, url) => {
    const lists = requestedLists(options);
    return [
      ...(lists.length > 0 ? [listRule(lists, url.href)] : []),
      ...patternRules(options.block_requests ?? []),
      ...resourceRules(options.block_resources ?? []),
    ];
  },
  beforeNavigation: async (options, { tab, warnAll }) => {
    const missing = (await Promise.all(requestedLists(options).map(async (name) => ((await filterList(name)) ? [] : [name])))).flat();
    for (const name of missing) warnAll(`block_${name} had no effect: its filter list is not installed`);
    // WebSockets can't be intercepted, so their constructor is replaced, except in workers.
    if (options.block_resources?.includes("websocket"))
      await tab.send("Page.addScriptToEvaluateOnNewDocument", { source: `(${replaceWebSocket})()` });
    if (options.hide_selectors) await assertSelectors(tab, "hide_selectors", options.hide_selectors);
  },
  afterNavigation: (options, work) => (needsPageWork(options) ? clearInTime(options, work) : undefined),
  afterReady: (options, work) => (needsPageWork(options) && work.readiness.wasInvalidated() ? clearInTime(options, work) : undefined),
  frame: async (options, { tab }) => {
    if (needsPageWork(options)) await tab.within(lastLookMs, hideUnwanted(tab, unwanted(options)));
  },
});

/** Time limit, longer than the slowest cookie rejection; only an unresponsive page takes this long. */
const clearingMs = 10_000;
const lastLookMs = 2_000;

function needsPageWork(options: BlockingOptions): boolean {
  const { lists, patterns, selectors } = unwanted(options);
  return lists.length + patterns.length + selectors.length > 0;
}

async function clearInTime(options: BlockingOptions, { tab, lifecycle, recorder, warn }: Work): Promise<void> {
  const done = await tab.within(clearingMs, clear(tab, lifecycle, unwanted(options), recorder));
  if (!done) warn("the page was too busy: some content that should be blocked may still be visible");
}

type BlockingOptions = Record<`block_${ListName}`, boolean> & {
  block_requests?: string[] | undefined;
  hide_selectors?: string[] | undefined;
};

function unwanted(options: BlockingOptions): Unwanted {
  return { lists: requestedLists(options), patterns: options.block_requests ?? [], selectors: options.hide_selectors ?? [] };
}

function requestedLists(options: BlockingOptions): ListName[] {
  return listNames.filter((name) => options[`block_${name}`]);
}
