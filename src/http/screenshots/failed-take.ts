/** Handles a take request whose capture failed: records it, and may send a stored screenshot instead. */

import type { FastifyRequest } from "fastify";
import type { Caller } from "../../accounts/keys/caller.ts";
import type { RecordRefusedTarget } from "../../accounts/usage/refused-target.ts";
import type { TakeRequest } from "../../screenshots/take/take-options.ts";
import type { FoundScreenshot, TakeScreenshot } from "../../screenshots/take/take-screenshot.ts";
import { AppError, ClientGone } from "../../shared/errors.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { asFailure, reportFailure } from "../openapi/errors.ts";
import type { Responder } from "./answer.ts";

/** A request that has been admitted and read. */
export interface Exchange {
  http: FastifyRequest;
  caller: Caller;
  request: TakeRequest;
  /** The stored screenshot found when the request arrived. */
  found: FoundScreenshot | undefined;
  responder: Responder;
}

export interface FailureParts {
  takeScreenshot: TakeScreenshot;
  recordRefusedTarget: RecordRefusedTarget;
  metrics: Metrics;
}

/** Records a target that was refused before the quota was reserved. Other failures are recorded by their reservation. */
export async function recordRefusal(
  { recordRefusedTarget }: FailureParts,
  { http, caller, request }: Exchange,
  error: unknown,
): Promise<void> {
  if (!(error instanceof AppError && error.isUnrecorded)) return;
  const { recordedOptions, identity, target } = request;
  const refused = { url: target.href, options: recordedOptions, cacheKey: identity, error: error.code };
  await recordRefusedTarget(caller, refused).catch((failure) => http.log.warn({ err: failure }, "failed to record a refused target"));
}

/** Time after the deadline to open a stored image instead of returning an error. */
const openingGraceMs = 200;

/** The caller must see these errors: the request itself or its target is refused. */
const irreplaceable = new Set([
  ...["invalid_parameters", "invalid_url", "invalid_api_key", "target_not_allowed", "target_blocked"],
  "proxy_not_allowed",
]);

/** Sends a stored screenshot instead of `error`, for `stale_if_error`. @throws `error` if there is none, or it must not be replaced. */
export async function sendInstead(
  { takeScreenshot, metrics }: FailureParts,
  failed: Exchange,
  leftMs: () => number,
  error: unknown,
): Promise<void> {
  const { http, caller, request, found, responder } = failed;
  const isReplaceable =
    error instanceof Error && !(error instanceof ClientGone) && !(error instanceof AppError && irreplaceable.has(error.code));
  if (!found?.mayReplaceError || !isReplaceable) throw error;
  const failure = asFailure(error);
  const current = await takeScreenshot.find(caller, request).catch(() => undefined); // it may have been deleted during the capture
  if (!current?.mayReplaceError) throw error;
  const isSent = await responder.sendStored(current.stored, "STALE", {
    openTimeoutMs: Math.max(leftMs(), openingGraceMs),
    warning: `the capture failed, so this is a stored screenshot: ${failure.code}: ${failure.message}`,
  });
  if (!isSent) throw error;
  reportFailure(failure, http, metrics);
}
