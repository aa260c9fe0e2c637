/** Draws the changes onto the later image. */

import sharp from "sharp";
import type { Box, Comparison, Region } from "./comparison.ts";

const colors: Record<Region["kind"], string> = { changed: "#e5484d", added: "#30a46c", removed: "#f76b15", moved: "#3e63dd" };

/** Height of a strip in pixels; the SVG renderer limits the height of an image. */
const stripRows = 16_000;

/**
 * Returns a PNG of `after`, dimmed outside the regions. Each region is framed in the color of its kind; removed content is framed where it
 * used to be.
 */
export async function drawDifference(after: Buffer, { regions, sizeAfter: { width, height } }: Comparison): Promise<Buffer> {
  const frames = regions.map((region) => frame(region.after ?? region.before, colors[region.kind], region.kind === "removed"));
  const holes = regions.flatMap(({ after }) => after ?? []);
  const veil = outside(holes, { width, height }).map((box) => `<rect ${attributes(box)}/>`);
  const veiled = `<g fill="#fff" fill-opacity="0.6" shape-rendering="crispEdges">${veil.join("")}</g>`;
  const strips = Array.from({ length: Math.ceil(height / stripRows) }, (_, at) => {
    const [top, rows] = [at * stripRows, Math.min(stripRows, height - at * stripRows)];
    const size = `width="${width}" height="${rows}" viewBox="0 ${top} ${width} ${rows}"`;
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${veiled}${frames.join("")}</svg>`;
    return { input: Buffer.from(drawing), left: 0, top };
  });
  return await sharp(after, { limitInputPixels: false })
    .flatten({ background: "#fff" })
    .composite(strips)
    .png({ compressionLevel: 3 })
    .toBuffer();
}

/** Boxes that cover an image except for its `holes`. A mask would take many times longer to draw. */
function outside(holes: Box[], { width, height }: { width: number; height: number }): Box[] {
  const edges = [0, height, ...holes.flatMap(({ y, height }) => [y, y + height])].filter((y) => y >= 0 && y <= height);
  const rows = [...new Set(edges)].sort((one, other) => one - other);
  return rows.slice(1).flatMap((bottom, at) => {
    const y = rows[at] ?? 0;
    const covered = holes.filter((hole) => hole.y <= y && hole.y + hole.height >= bottom).sort((one, other) => one.x - other.x);
    const boxes: Box[] = [];
    let left = 0;
    for (const hole of [...covered, { x: width, width: 0 }]) {
      if (hole.x > left) boxes.push({ x: left, y, width: hole.x - left, height: bottom - y });
      left = Math.max(left, hole.x + hole.width);
    }
    return boxes;
  });
}

function frame(box: Box | null, color: string, isDashed: boolean): string {
  if (!box) return "";
  const dashes = isDashed ? ` stroke-dasharray="8 6"` : "";
  return `<rect ${attributes(box)} fill="${color}" fill-opacity="0.12" stroke="${color}" stroke-width="3"${dashes}/>`;
}

function attributes({ x, y, width, height }: Box): string {
  return `x="${x}" y="${y}" width="${width}" height="${height}"`;
}
