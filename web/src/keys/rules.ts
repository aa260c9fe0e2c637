/** A key's rules as form values: lists as lines, the expiry as a date. */

import type { Key } from "../api/types.ts";

export type KeyRules = Pick<
  Key,
  "name" | "allowed_domains" | "allowed_targets" | "allow_missing_origin" | "require_signature" | "expires_at"
>;

export interface Draft {
  name: string;
  allowed_domains: string;
  allowed_targets: string;
  allow_missing_origin: boolean;
  require_signature: boolean;
  /** `YYYY-MM-DD` in the user's time zone, or empty. */
  expires_on: string;
}

export const emptyDraft: Draft = {
  name: "",
  allowed_domains: "",
  allowed_targets: "",
  allow_missing_origin: false,
  require_signature: false,
  expires_on: "",
};

export function linesOf(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

export function draftOf(key: Key): Draft {
  return {
    name: key.name,
    allowed_domains: key.allowed_domains.join("\n"),
    allowed_targets: key.allowed_targets.join("\n"),
    allow_missing_origin: key.allow_missing_origin,
    require_signature: key.require_signature,
    expires_on: key.expires_at === null ? "" : dayIn(key.expires_at),
  };
}

export function rulesOf(draft: Draft): KeyRules {
  return {
    name: draft.name.trim(),
    allowed_domains: linesOf(draft.allowed_domains),
    allowed_targets: linesOf(draft.allowed_targets),
    allow_missing_origin: draft.allow_missing_origin,
    require_signature: draft.require_signature,
    expires_at: draft.expires_on === "" ? null : new Date(`${draft.expires_on}T23:59:59`).toISOString(),
  };
}

/** The changed rules. Unchanged rules are not sent, so that the expiry keeps its time of day. */
export function changes(base: Key, draft: Draft): Partial<KeyRules> {
  const before = draftOf(base);
  const rules = rulesOf(draft);
  return {
    ...(draft.name === before.name ? {} : { name: rules.name }),
    ...(draft.allowed_domains === before.allowed_domains ? {} : { allowed_domains: rules.allowed_domains }),
    ...(draft.allowed_targets === before.allowed_targets ? {} : { allowed_targets: rules.allowed_targets }),
    ...(draft.allow_missing_origin === before.allow_missing_origin ? {} : { allow_missing_origin: rules.allow_missing_origin }),
    ...(draft.require_signature === before.require_signature ? {} : { require_signature: rules.require_signature }),
    ...(draft.expires_on === before.expires_on ? {} : { expires_at: rules.expires_at }),
  };
}

function dayIn(time: string): string {
  const date = new Date(time);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}
