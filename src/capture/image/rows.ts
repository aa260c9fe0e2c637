/** Reads a tiled image from top to bottom as raw pixels. */

import type { Sharp, SharpOptions } from "sharp";
import type { Tiles } from "./tiles.ts";

export interface Rows {
  width: number;
  height: number;
  /** Bytes per pixel. */
  channels: 3 | 4;
  /** Returns `count` rows starting at `top`. `top` must not decrease, because earlier tiles are discarded. */
  take(top: number, count: number): Promise<Buffer>;
}

/** Opens the image for reading; each tile is decoded once. */
export async function openRows({ tiles, tileHeight = Infinity, patches, ...size }: Tiles, isTransparent: boolean): Promise<Rows> {
  const { default: sharp } = await import("sharp");
  sharp.cache(false);
  const reading: SharpOptions = { limitInputPixels: false, sequentialRead: true };
  const [first, ...more] = tiles;
  const shown = await sharp(first, reading).metadata();
  const width = Math.min(size.width, shown.width);
  const height = more.length > 0 ? size.height : Math.min(size.height, shown.height);
  const channels = isTransparent ? 4 : 3;
  const decoded = new Map<number, Promise<Buffer>>();

  async function decode(index: number): Promise<Buffer> {
    const top = index * (more.length > 0 ? tileHeight : 0);
    const rows = Math.min(tileHeight, height - top);
    const { height: drawnRows } = await sharp(tiles[index], reading).metadata();
    const missing = Math.max(0, rows - drawnRows); // the last row of a scaled page may be rounded away
    const tile = sharp(tiles[index], reading)
      .extract({ left: 0, top: 0, width, height: rows - missing })
      .extend({ bottom: missing, extendWith: "copy" });
    const parts = patches.map(
      async ({ input, left, top: patchTop }) => await partOf(sharp(input), { left, top: patchTop - top, width, rows }),
    );
    const drawn = (await Promise.all(parts)).filter((part) => part !== undefined);
    const image = drawn.length > 0 ? sharp(await tile.png({ compressionLevel: 0 }).toBuffer(), reading).composite(drawn) : tile;
    return await (isTransparent ? image.ensureAlpha() : image.removeAlpha()).raw().toBuffer();
  }

  return {
    width,
    height,
    channels,
    async take(top, count) {
      const stride = width * channels;
      const taken = Buffer.allocUnsafe(count * stride);
      const indexOf = (row: number) => (more.length > 0 ? Math.floor(row / tileHeight) : 0);
      for (const index of decoded.keys()) if (index < indexOf(top)) decoded.delete(index);
      for (let row = top; row < top + count; ) {
        const index = indexOf(row);
        const tile = await (decoded.get(index) ?? decode(index));
        decoded.set(index, Promise.resolve(tile));
        const start = more.length > 0 ? index * tileHeight : 0;
        const until = Math.min(top + count, start + tile.length / stride);
        tile.copy(taken, (row - top) * stride, (row - start) * stride, (until - start) * stride);
        row = until;
      }
      return taken;
    },
  };
}

/** The part of a patch within a tile of `rows` rows; `left` and `top` are relative to the tile. */
async function partOf(patch: Sharp, { left, top, width, rows }: { left: number; top: number; width: number; rows: number }) {
  const size = await patch.metadata();
  const from = Math.max(0, -top);
  const height = Math.min(size.height, rows - top) - from;
  const kept = Math.min(size.width, width - left);
  if (height <= 0 || kept <= 0) return undefined;
  const input = await patch.extract({ left: 0, top: from, width: kept, height }).png({ compressionLevel: 0 }).toBuffer();
  return { input, left, top: top + from };
}
