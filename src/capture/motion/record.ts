/** Records a page in motion. */

import type { Tab } from "../../browser/tab.ts";
import { AppError } from "../../shared/errors.ts";
import { type AnimationFormat, isVideoFormat, type MotionFormat, type VideoFormat } from "../../shared/formats.ts";
import { inTurn } from "../image/encode-in-turn.ts";
import { imageSize } from "../image/spec.ts";
import type { Work } from "../option-group.ts";
import type { CaptureOptions } from "../options.ts";
import { createOutputMemory } from "../output-memory.ts";
import type { Output } from "../request.ts";
import { openAnimationEncoder } from "./animation.ts";
import type { Encoder, Recording } from "./encoder.ts";
import { drawFrames } from "./frames.ts";
import { frameTimes, timingOf } from "./options.ts";

/** Limits the memory used by the frames of running recordings: PNGs for animations, encoded frames for videos. */
const holdFrames = createOutputMemory();
/** Maximum number of pixels in all of an animation's frames. A GIF takes 0.14 s of CPU time per million pixels. */
const animationPixelsMax = 100_000_000;
/** Maximum number of pixels in a video frame: the limit of the codec level. */
const framePixelsMax = 8_900_000;

/**
 * @throws {AppError} `image_too_large`, if possible before anything is drawn; `codec_unavailable`; `queue_full` if other captures need the
 *   memory; anything that `drawFrames` throws.
 */
export async function recordMotion(work: Work, format: MotionFormat, options: CaptureOptions): Promise<Output> {
  const { shot, account } = work;
  const timing = timingOf(options);
  const held = holdFrames(account);
  const hold = (bytes: number) => held.add(bytes);
  const times = frameTimes(timing);
  const { steps = [], scroll } = options;
  const recording = { ...timing, ...imageSize(shot), times, quality: shot.quality, scrolls: scroll === "down", steps, hold };
  assertPixels(format, recording);
  try {
    return await (isVideoFormat(format) ? recordVideo(work, format, recording) : recordAnimation(work, format, recording));
  } finally {
    held.release();
  }
}

async function recordAnimation(work: Work, format: AnimationFormat, recording: Recording): Promise<Output> {
  const { width, height } = recording;
  const encoder = openAnimationEncoder(format, recording, (encode) => inTurn(work, () => encode(work.deadlineAt - performance.now())));
  return { bytes: await record(work, recording, encoder), width, height };
}

async function recordVideo(work: Work, format: VideoFormat, recording: Recording): Promise<Output> {
  const { openVideoEncoder, videoSize } = await import("./video.ts"); // loaded on demand, like image encoders
  const size = videoSize(format, recording);
  const open = (blank: Tab) => openVideoEncoder(blank, format, { ...recording, ...size });
  return { bytes: await work.tab.beside(async (blank) => await record(work, recording, await open(blank))), ...size };
}

async function record(work: Work, recording: Recording, encoder: Encoder): Promise<Buffer> {
  let before: Buffer | undefined;
  for await (const image of drawFrames(work, recording)) {
    await encoder.add(before?.equals(image) ? undefined : image);
    before = image;
  }
  work.waitsFor = "the recording to be encoded";
  return await encoder.finish();
}

function assertPixels(format: MotionFormat, { times, width, height }: Recording): void {
  const [frames, pixelsMax, what] = isVideoFormat(format)
    ? [1, framePixelsMax, "per frame"]
    : [times.length, animationPixelsMax, "in total"];
  if (frames * width * height <= pixelsMax) return;
  const size = `${times.length} frames of ${width} × ${height} pixels`;
  const reduce = isVideoFormat(format) ? "Reduce the image size" : "Reduce the duration, fps or image size";
  throw new AppError("image_too_large", {
    message: `The ${format} would have ${size}, more than ${pixelsMax / 1e6} million pixels ${what}. ${reduce}, for example with image_width.`,
  });
}
