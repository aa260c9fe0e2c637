/** The fields of the watch form, and the request made from them. */

import type { Watch } from "../../api/types.ts";
import { withScheme } from "../../screenshots/address.ts";

export interface Draft {
  url: string;
  name: string;
  timing: "every" | "cron";
  every: string;
  cron: string;
  time_zone: string;
  full_page: boolean;
  compare: Watch["compare"];
  /** In percent. */
  threshold: string;
  /** One per line. */
  ignore_selectors: string;
  webhook_url: string;
}

/** Names of the fields, as used in the API's errors. */
export const draftFields = [
  "url",
  "name",
  "every",
  "cron",
  "time_zone",
  "full_page",
  "compare",
  "threshold",
  "ignore_selectors",
  "webhook_url",
];

export const newDraft = (part: Partial<Draft> = {}): Draft => ({
  url: "",
  name: "",
  timing: "every",
  every: "1d",
  cron: "0 9 * * 1-5",
  time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC",
  full_page: true,
  compare: "both",
  threshold: "0",
  ignore_selectors: "",
  webhook_url: "",
  ...part,
});

export function draftOf(watch: Watch): Draft {
  const { url, name, every, cron, time_zone, compare, threshold, ignore_selectors: selectors, webhook_url: webhook, options } = watch;
  return newDraft({
    ...{ url, name, time_zone, compare },
    ...(cron === null ? { timing: "every", every: every ?? "1d" } : { timing: "cron", cron }),
    full_page: (options as Record<string, unknown>).full_page !== false,
    threshold: String(Number((threshold * 100).toFixed(4))),
    ignore_selectors: selectors.join("\n"),
    webhook_url: webhook ?? "",
  });
}

/** The members of the request; null stands for the default, or for none. */
export function bodyOf(draft: Draft): Record<string, unknown> {
  const { url, name, timing, every, cron, time_zone, full_page, compare, threshold, ignore_selectors, webhook_url } = draft;
  const selectors = ignore_selectors.split("\n").map((line) => line.trim());
  return {
    url: withScheme(url.trim()),
    name: name.trim() || null,
    ...(timing === "every" ? { every } : { cron: cron.trim(), time_zone }),
    full_page,
    compare,
    threshold: Number((Number(threshold) / 100).toFixed(6)),
    ignore_selectors: selectors.filter((line) => line !== ""),
    webhook_url: webhook_url.trim() || null,
  };
}

/** Only the changed members, because changing the page's options makes a watch start over. */
export function changesOf(before: Draft, after: Draft): Record<string, unknown> {
  const [old, now] = [bodyOf(before), bodyOf(after)];
  const known = { ...old, time_zone: before.time_zone };
  return Object.fromEntries(
    Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(known[name as keyof typeof known])),
  );
}
