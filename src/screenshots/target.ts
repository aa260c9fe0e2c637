/** Whether a target may be captured at all: the key's list, and the egress policy before anything is spent. */

import type { Caller } from "../accounts/keys/caller.ts";
import { targetAllowed } from "../accounts/keys/domains.ts";
import { AppError } from "../errors.ts";

/** Whether the caller's key may receive an image of `url`: where the request points, or where the page ended up. */
export function mayCapture({ allowedTargets }: Caller, url: string | URL): boolean {
  return allowedTargets.length === 0 || targetAllowed(allowedTargets, new URL(url));
}

/** @throws {AppError} `target_not_allowed`. */
export function assertMayCapture(caller: Caller, url: URL): void {
  if (!mayCapture(caller, url)) throw new AppError("target_not_allowed");
}
