/** Draws what changed onto the image after. */

import sharp from "sharp";
import type { Box, Comparison, Region } from "./comparison.ts";

const colours: Record<Region["kind"], string> = { changed: "#e5484d", added: "#30a46c", removed: "#f76b15", moved: "#3e63dd" };

/** The renderer draws no larger ones. */
const stripRows = 16_000;

/** PNG: `after` dimmed, with a frame in the colour of its kind around each region. What was removed is marked where it was. */
export async function drawDifference(after: Buffer, { regions, sizeAfter: { width, height } }: Comparison): Promise<Buffer> {
  const frames = regions.map((region) => frame(region.after ?? region.before, colours[region.kind], region.kind === "removed"));
  const holes = regions.map(({ after }) => (after ? `<rect ${attributes(after)} fill="#000"/>` : ""));
  const whole = `x="0" y="0" width="${width}" height="${height}"`;
  const veil = `<rect ${whole} fill="#fff" fill-opacity="0.6" mask="url(#outside)"/>`;
  const mask = `<mask id="outside" maskUnits="userSpaceOnUse" ${whole}><rect ${whole} fill="#fff"/>${holes.join("")}</mask>`;
  const strips = Array.from({ length: Math.ceil(height / stripRows) }, (_, at) => {
    const [top, rows] = [at * stripRows, Math.min(stripRows, height - at * stripRows)];
    const size = `width="${width}" height="${rows}" viewBox="0 ${top} ${width} ${rows}"`;
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${mask}${veil}${frames.join("")}</svg>`;
    return { input: Buffer.from(drawing), left: 0, top };
  });
  return await sharp(after, { limitInputPixels: false })
    .flatten({ background: "#fff" })
    .composite(strips)
    .png({ compressionLevel: 3 })
    .toBuffer();
}

function frame(box: Box | null, colour: string, isDashed: boolean): string {
  if (!box) return "";
  const dashes = isDashed ? ` stroke-dasharray="8 6"` : "";
  return `<rect ${attributes(box)} fill="${colour}" fill-opacity="0.12" stroke="${colour}" stroke-width="3"${dashes}/>`;
}

function attributes({ x, y, width, height }: Box): string {
  return `x="${x}" y="${y}" width="${width}" height="${height}"`;
}
