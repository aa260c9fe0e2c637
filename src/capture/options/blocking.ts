/** What of a page is neither loaded nor shown. */

import { z } from "zod";
import { meansDocumentReplaced } from "../../browser/chromium-errors.ts";
import { AppError } from "../../errors.ts";
import { refuseCookies } from "../blocking/consent.ts";
import { invalidSelector } from "../blocking/hide.ts";
import { filterList, type ListName } from "../blocking/lists.ts";
import { patternProblem } from "../blocking/patterns.ts";
import { listRule, patternRules, resourceRules } from "../blocking/requests.ts";
import { refuseSockets } from "../blocking/sockets.ts";
import { sweep, type Unwanted } from "../blocking/sweep.ts";
import { lines } from "../lines.ts";
import { optionGroup, type Work } from "../option-group.ts";
import { resourceTypes } from "../resource-type.ts";

const patternsLengthMax = 4096;
const selectorsLengthMax = 8192;

export const blocking = optionGroup({
  title: "Blocking",
  intro:
    "What of a page is neither loaded nor shown. The filter lists are part of the service: nothing is fetched for them while it runs. [Blocking](blocking.md) says how it works and what it doesn't do.",
  example: { block_ads: "true", block_cookie_banners: "true" },
  parameters: () => ({
    block_ads: z.boolean().default(false).meta({
      description:
        "Leave out advertisements: they are neither loaded nor is a place kept for them. By AdGuard's filter lists and EasyList, which hide nothing on pages of `localhost`, `127.0.0.1` and `192.168.*`.",
    }),
    block_trackers: z.boolean().default(false).meta({
      description: "Don't load what counts and follows visitors. By AdGuard's Tracking Protection list, which includes EasyPrivacy.",
    }),
    block_cookie_banners: z.boolean().default(false).meta({
      description:
        "Leave out cookie banners. They are hidden by AdGuard's Cookie Notices list, or answered with a no where the way to it is known, never with a yes; a page that was locked behind its banner scrolls again.",
    }),
    block_chats: z.boolean().default(false).meta({ description: "Leave out chat and support widgets." }),
    block_requests: lines(patternsLengthMax, patternProblem).meta({
      description: `Don't load addresses that match: at most 100 patterns, one on a line, together at most ${patternsLengthMax} characters. A pattern without \`/\` is a host and its subdomains; any other is compared with the whole address, with \`*\` for anything. Never the page itself.`,
      examples: [["example.com", "*/banners/*.gif"]],
    }),
    block_resources: z
      .array(z.enum(resourceTypes))
      .max(resourceTypes.length)
      .optional()
      .meta({
        description:
          "Don't load resources of these types. `document` are frames, never the page itself; `xhr` and `fetch` mean both; `websocket` reaches pages and frames, not workers.",
        examples: [["image", "font"]],
      }),
    hide_selectors: lines(selectorsLengthMax).meta({
      description:
        "CSS selectors of what is hidden (`display: none`), one or a list on a line; also in open shadow roots and in frames of the page's own origin.",
      examples: [["#newsletter", ".sticky-footer, .promo"]],
    }),
  }),
  requests: (options, url) => {
    const lists = asked(options);
    return [
      ...(lists.length > 0 ? [listRule(lists, url.href)] : []),
      ...patternRules(options.block_requests ?? []),
      ...resourceRules(options.block_resources ?? []),
    ];
  },
  beforeNavigation: async (options, { tab, warn }) => {
    const missing = (await Promise.all(asked(options).map(async (name) => ((await filterList(name)) ? [] : [name])))).flat();
    for (const name of missing) warn(`block_${name} did nothing: its filter list is not installed here`);
    if (options.block_resources?.includes("websocket")) await refuseSockets(tab);
    const invalid = options.hide_selectors && (await invalidSelector(tab, options.hide_selectors));
    if (invalid !== undefined) throw new AppError("invalid_parameters", { details: [notASelector(invalid)] });
  },
  afterNavigation: (options, work) => (asksForPageWork(options) ? clearInTime(options, work) : undefined),
  afterReady: (options, work) => (asksForPageWork(options) && work.readiness.wasInvalidated() ? clearInTime(options, work) : undefined),
  frame: async (options, { tab }) => {
    if (asksForPageWork(options)) await tab.within(lastLookMs, sweep(tab, unwanted(options)));
  },
});

/** Longer than the longest refusal of cookies; only a page that hangs takes as long. */
const clearingMs = 10_000;
const lastLookMs = 2_000;

function asksForPageWork(options: Asked): boolean {
  const { lists, patterns, selectors } = unwanted(options);
  return lists.length + patterns.length + selectors.length > 0;
}

async function clearInTime(options: Asked, work: Work): Promise<void> {
  const done = await work.tab.within(clearingMs, clear(options, work));
  if (!done) work.warn("the page was too busy to be cleared of everything that was asked");
}

async function clear(options: Asked, { tab, lifecycle }: Work): Promise<void> {
  try {
    const swept = await sweep(tab, unwanted(options));
    if (!options.block_cookie_banners || !swept) return;
    const refused = await refuseCookies(tab, lifecycle, { url: swept.url, banners: swept.banner ? "hidden" : "shown" });
    if (refused) await sweep(tab, unwanted(options), true);
  } catch (error) {
    // A page that replaces itself again and again gets a last look when it is made to hold still.
    if (!meansDocumentReplaced(error)) throw error;
  }
}

type Asked = Record<`block_${ListName}`, boolean> & { block_requests?: string[] | undefined; hide_selectors?: string[] | undefined };

function unwanted(options: Asked): Unwanted {
  return { lists: asked(options), patterns: options.block_requests ?? [], selectors: options.hide_selectors ?? [] };
}

function asked(options: Asked): ListName[] {
  return (["ads", "trackers", "cookie_banners", "chats"] as const).filter((name) => options[`block_${name}`]);
}

function notASelector(text: string) {
  return {
    parameter: "hide_selectors",
    message: `hide_selectors has ${JSON.stringify(text.slice(0, 200))}, which is not a CSS selector`,
    allowed: "CSS selectors",
  };
}
