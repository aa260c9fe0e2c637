/** Encodes recordings as GIF or animated WebP. */

import type { AnimationFormat } from "../../shared/formats.ts";
import type { Encoder, Recording } from "./encoder.ts";

/** A PNG and the time at which it first appears, in milliseconds from the start. */
interface Picture {
  image: Buffer;
  atMs: number;
}

/** Unit in which the file stores delays, in milliseconds. */
const unitMs: Record<AnimationFormat, number> = { gif: 10, "webp-animation": 1 };

/**
 * A frame identical to the previous one only extends the previous frame's delay.
 * @param inTurn calls its argument when it is the account's turn, with the time left in milliseconds.
 */
export function openAnimationEncoder(
  format: AnimationFormat,
  recording: Recording,
  inTurn: (encode: (timeoutMs: number) => Promise<Buffer>) => Promise<Buffer>,
): Encoder {
  const pictures: Picture[] = [];
  let count = 0;
  return {
    add: async (image) => {
      const atMs = recording.times[count] ?? 0;
      count += 1;
      if (!image) return;
      recording.hold(image.length);
      pictures.push({ image, atMs });
    },
    finish: () => inTurn((timeoutMs) => encode(pictures, format, recording, timeoutMs)),
  };
}

async function encode(pictures: readonly Picture[], format: AnimationFormat, { durationMs, quality }: Recording, timeoutMs: number) {
  const { default: sharp } = await import("sharp"); // loaded on demand, as for images
  sharp.cache(false);
  const [first, ...others] = pictures.map(({ image }) => image);
  if (!first) throw new TypeError("the recording has no frames");
  const joined = others.length > 0 ? sharp([first, ...others], { join: { animated: true }, limitInputPixels: false }) : sharp(first);
  const opaque = joined.removeAlpha().timeout({ seconds: Math.max(1, Math.ceil(timeoutMs / 1000)) });
  const timing = { delay: delaysOf(pictures, durationMs, format), loop: 0 };
  // With sharp's default effort, a GIF takes twice as long and is hardly smaller.
  return await (format === "gif" ? opaque.gif({ ...timing, effort: 4 }) : opaque.webp({ ...timing, quality })).toBuffer();
}

/** Delay of each picture, in milliseconds. Rounding errors don't accumulate. */
export function delaysOf(pictures: readonly Pick<Picture, "atMs">[], durationMs: number, format: AnimationFormat): number[] {
  const unit = unitMs[format];
  const rounded = [...pictures.map(({ atMs }) => atMs), durationMs].map((ms) => Math.round(ms / unit) * unit);
  return pictures.map((_, index) => (rounded[index + 1] ?? 0) - (rounded[index] ?? 0));
}
