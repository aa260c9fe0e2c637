/** Handles failed take requests: records refused targets, and may send a stored screenshot or an error image instead of the error. */

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../../accounts/keys/caller.ts";
import type { RecordRefusedTarget } from "../../accounts/usage/refused-target.ts";
import type { TakeOptions, TakeRequest, TakeSchema } from "../../screenshots/take/take-options.ts";
import type { FoundScreenshot, TakeScreenshot } from "../../screenshots/take/take-screenshot.ts";
import { AppError, ClientGone } from "../../shared/errors.ts";
import { contentTypes, type ImageFormat, isImageFormat } from "../../shared/formats.ts";
import { createPlaceholders, type Placeholder } from "../../storage/placeholder.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { createLenientReader, type ReadOption } from "../input/validation.ts";
import { asFailure, reportFailure, setErrorBody } from "../server/error-handler.ts";
import { accountOf } from "../server/owners.ts";
import type { Responder } from "./answer.ts";

/** A request that has been admitted and read. */
export interface Exchange {
  http: FastifyRequest;
  caller: Caller;
  request: TakeRequest;
  /** The stored screenshot found before the capture. */
  found: FoundScreenshot | undefined;
  responder: Responder;
}

export interface FailureParts {
  takeScreenshot: TakeScreenshot;
  recordRefusedTarget: RecordRefusedTarget;
  metrics: Metrics;
}

/** Records a target that was refused before the quota was reserved. Other failures are recorded with their reservation. */
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

/** Minimum time for opening a stored image to send instead of an error, even after the deadline. */
const openingGraceMs = 200;

/** Errors that a stored screenshot must not hide, because the request itself or its target was refused. */
const irreplaceable = new Set([
  ...["invalid_parameters", "invalid_url", "invalid_api_key", "target_not_allowed", "target_blocked"],
  "proxy_not_allowed",
]);

/**
 * Sends a stored screenshot instead of `error`, for `stale_if_error`.
 * @throws `error` if there is no stored screenshot, it can't be read, or the error must not be replaced.
 */
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
  const isSent = await responder.sendStored(current.entry, "STALE", {
    openTimeoutMs: Math.max(leftMs(), openingGraceMs),
    warning: `the capture failed, so this is a stored screenshot: ${failure.code}: ${failure.message}`,
  });
  if (!isSent) throw error;
  reportFailure(failure, http, metrics);
}

/** Draws the image that the error handler sends for `error`, if the request asks for one. Never rejects. */
export type PrepareErrorImage = (error: Error, http: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Reads the options of a request as sent. @throws {AppError} if they can't be read. */
export type ReadSent = (http: FastifyRequest) => ReadOption;

const names = [
  "error_image",
  "placeholder",
  "response_type",
  "dry_run",
  "format",
  "quality",
  "width",
  "height",
  "device_scale_factor",
  "clip_width",
  "clip_height",
  "image_width",
  "image_height",
] as const;

/** Maximum pixels of an error image (3840 × 2160); larger images are scaled down. */
const pixelsMax = 8_294_400;
const defaultColor = "#f4f4f5";

export function createErrorImages(schema: TakeSchema, sent: ReadSent): PrepareErrorImage {
  let read: ReturnType<typeof createLenientReader<(typeof names)[number]>> | undefined;
  const draw = createPlaceholders();

  return async (error, http, reply) => {
    // The rate limit sets this header once a request is authenticated. Without the header, the key was rejected or never checked.
    const account = accountOf(http);
    if (error instanceof ClientGone || account === undefined || !reply.hasHeader("x-ratelimit-limit")) return;
    try {
      read ??= createLenientReader(schema, names);
      const options = read(sent(http));
      if (!(options.error_image || options.placeholder) || options.response_type !== "image" || options.dry_run) return;
      const format = options.format === "jpg" ? "jpeg" : options.format;
      if (!isImageFormat(format)) return;
      const bytes = await draw(account, placeholderFor(options, format, asFailure(error)));
      // Undefined if too many drawings are queued: images for refused requests must not overload the service.
      if (bytes) setErrorBody(http, { type: contentTypes[format], bytes });
    } catch (cause) {
      if (!(cause instanceof AppError)) http.log.error({ err: cause }, "failed to draw an error image");
    }
  };
}

type SizedOptions = Pick<TakeOptions, (typeof names)[number]>;

function placeholderFor(options: SizedOptions, format: ImageFormat, { code, message }: AppError): Placeholder {
  const { placeholder, quality, width, height, clip_width, clip_height, device_scale_factor, image_width, image_height } = options;
  const asked = clip_width && clip_height ? { width: clip_width, height: clip_height } : { width, height };
  const pixels = { width: asked.width * device_scale_factor, height: asked.height * device_scale_factor };
  const fitting = Math.min(1, (image_width ?? Infinity) / pixels.width, (image_height ?? Infinity) / pixels.height);
  const scale = Math.min(fitting, Math.sqrt(pixelsMax / (pixels.width * pixels.height)));
  return {
    width: Math.max(1, Math.round(pixels.width * scale)),
    height: Math.max(1, Math.round(pixels.height * scale)),
    format,
    quality,
    color: placeholder ? `#${placeholder.replace("#", "")}` : defaultColor,
    ...(placeholder ? {} : { text: { title: "Screenshot not available", body: message, footnote: code } }),
  };
}
