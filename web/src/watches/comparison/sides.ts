/** The two images that a run compares, and the boxes of its regions in them. */

import type { WatchRun } from "../../api/types.ts";
import { imageOf } from "../words.ts";

export type Region = WatchRun["regions"][number];
export type Box = NonNullable<Region["after"]>;

export interface Side {
  name: "before" | "after";
  source: string;
  width: number;
  height: number;
}

export interface Sides {
  before: Side;
  after: Side;
  regions: Region[];
  /** Index of the highlighted region. */
  selected: number | undefined;
}

export function sideOf(name: Side["name"], { screenshot }: WatchRun): Side | undefined {
  return screenshot ? { name, source: imageOf(screenshot), width: screenshot.width, height: screenshot.height } : undefined;
}

/** The size that fits both images. */
export const canvasOf = ({ before, after }: Pick<Sides, "before" | "after">): { width: number; height: number } => ({
  width: Math.max(before.width, after.width),
  height: Math.max(before.height, after.height),
});

export const percent = (part: number, whole: number): string => `${(part / Math.max(1, whole)) * 100}%`;

/** The box with a margin around it. */
export function around({ x, y, width, height }: Box, side: Side): Box {
  const margin = 24;
  const [left, top] = [Math.max(0, x - margin), Math.max(0, y - margin)];
  return {
    x: left,
    y: top,
    width: Math.max(1, Math.min(side.width, x + width + margin) - left),
    height: Math.max(1, Math.min(side.height, y + height + margin) - top),
  };
}
