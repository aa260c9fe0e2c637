/** Records a page in motion. */

import { AppError } from "../../shared/errors.ts";
import type { MotionFormat } from "../../shared/formats.ts";
import { inTurn } from "../image/encode-in-turn.ts";
import { imageSize } from "../image/spec.ts";
import type { Work } from "../option-group.ts";
import type { CaptureOptions } from "../options.ts";
import type { Output } from "../request.ts";
import { openAnimationEncoder } from "./animation.ts";
import type { Encoder, Recording } from "./encoder.ts";
import { drawFrames, frameTimes } from "./frames.ts";
import { timingOf } from "./options.ts";

/** Pixels of all frames. They are in memory at the same time, at 4 bytes each, while they are encoded. */
const pixelsMax = 100_000_000;

/** @throws {AppError} `image_too_large`, if possible before anything is drawn. */
export async function recordMotion(work: Work, format: MotionFormat, options: CaptureOptions): Promise<Output> {
  const { shot, deadlineAt } = work;
  const timing = timingOf(options);
  const { width, height } = imageSize(shot);
  const recording = { ...timing, times: frameTimes(timing), width, height, quality: shot.quality };
  assertPixels(format, recording);
  const encoder = openAnimationEncoder(format, recording, (encode) => inTurn(work, () => encode(deadlineAt - performance.now())));
  return { bytes: await record(work, recording, encoder), width, height };
}

async function record(work: Work, { times }: Recording, encoder: Encoder): Promise<Buffer> {
  let before: Buffer | undefined;
  for await (const image of drawFrames(work, times)) {
    await encoder.add(before?.equals(image) ? undefined : image);
    before = image;
  }
  work.waitsFor = "the recording to be encoded";
  return await encoder.finish();
}

function assertPixels(format: MotionFormat, { times, width, height }: Recording): void {
  if (times.length * width * height <= pixelsMax) return;
  const size = `${times.length} frames of ${width} × ${height} pixels`;
  throw new AppError("image_too_large", {
    message: `The ${format} would have ${size}, more than ${pixelsMax / 1e6} million pixels in total. Lower duration, fps or the size, for example with image_width.`,
  });
}
