/** Stitches the captured bands into one image. */

import { type Blocks, differingBlocks } from "../blocks.ts";
import { blankImage, type Cut, type Image, paste } from "../images.ts";

export interface Visit {
  image: Image;
  /** Blocks that changed during the capture, or that belong to fixed elements. */
  unsure: Blocks;
}

export interface Strip {
  /** First row, counted from the end of the content. */
  from: number;
  height: number;
  /** One image, or several if the content is unstable. */
  shots: Image[];
}

/** A part of an image as a new image. */
export function part(of: Image, cut: Cut): Image {
  const image = blankImage(cut.width, cut.height);
  paste(of, cut, image, 0, 0);
  return image;
}

/** @param strips from bottom to top. */
export function join(strips: Strip[], width: number): Visit {
  const top = strips.at(-1)?.from ?? 0;
  const height = (strips[0] ? strips[0].from + strips[0].height : 0) - top;
  const whole = (which: (strip: Strip) => Image | undefined) => {
    const image = blankImage(width, height);
    for (const strip of strips) {
      const shot = which(strip);
      if (shot) paste(shot, { x: 0, y: 0, width, height: strip.height }, image, 0, strip.from - top);
    }
    return image;
  };
  const shotsMost = Math.max(...strips.map(({ shots }) => shots.length));
  const images = Array.from({ length: shotsMost }, (_, back) => whole(({ shots }) => shots.at(-1 - back) ?? shots.at(-1)));
  const [image = blankImage(width, height), ...earlier] = images;
  return { image, unsure: new Set(earlier.flatMap((one) => [...differingBlocks(image, one)])) };
}
