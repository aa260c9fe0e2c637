/** What a new watch takes over from a screenshot: its URL and options. */

import type { OpenApi } from "../../api/openapi.ts";
import type { StoredScreenshot } from "../../api/screenshot-queries.ts";
import { type OptionGroup, optionGroups, shareable } from "../../playground/parameters.ts";
import { chosen } from "../../screenshots/options.ts";
import { type Draft, draftFields, newDraft } from "./draft.ts";

export interface Start {
  draft: Draft;
  /** Options that the form doesn't include. */
  options: Record<string, unknown>;
  /** Names of options that are not stored, such as cookies. */
  missing: string[];
}

/** Options that limit a capture to part of the page. */
const parts = ["selector", "clip_x", "clip_y", "clip_width", "clip_height"];

export const showsPart = (options: Record<string, unknown>): boolean => parts.some((name) => options[name] !== undefined);

export function startFrom(screenshot: StoredScreenshot, document: OpenApi): Start {
  const groups: OptionGroup[] = optionGroups(document);
  const given = chosen(screenshot.options, groups);
  const known = document.paths["/v1/watches"]?.post?.requestBody?.content?.["application/json"]?.schema.properties ?? {};
  const kept = Object.keys(shareable(given, groups)).filter((name) => Object.hasOwn(known, name) && !draftFields.includes(name));
  const secrets = Object.keys(given).filter((name) => Object.hasOwn(known, name) && !Object.hasOwn(shareable(given, groups), name));
  const { time_zone: zone, full_page } = screenshot.options;
  return {
    draft: newDraft({
      url: screenshot.url,
      full_page: full_page === true,
      ...(typeof zone === "string" && zone !== "" ? { time_zone: zone } : {}),
    }),
    options: Object.fromEntries(kept.map((name) => [name, screenshot.options[name]])),
    missing: secrets,
  };
}
