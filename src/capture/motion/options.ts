/** Options for recordings of the page in motion. */

import { z } from "zod";
import { isMotionFormat, isVideoFormat, motionFormats } from "../../shared/formats.ts";
import { optionGroup } from "../option-group.ts";
import type { Step } from "../steps.ts";

/** Viewers slow down a GIF whose delay between frames is below 20 ms. */
const gifFpsMax = 50;
const secondsPerScreenshot = 5;
const durationDefault = 5;
const fpsDefault = { animation: 10, video: 25 };

interface Others {
  format?: string;
  full_page?: boolean;
  mask_selectors?: string[];
  fit?: string;
  max_bytes?: number;
  slice_height?: number;
  on_timeout?: string;
  selector?: string;
  clip_x?: number;
  steps?: Step[];
}

export const motion = optionGroup({
  title: "Motion",
  onlyIfSet: true,
  intro:
    "`format=gif`, `webp-animation`, `webm` and `mp4` record the page in motion. The page runs on its own clock, so each frame shows exactly the right moment, however busy the machine is. See [Recordings](motion.md).",
  example: { format: "webp-animation", duration: "3", image_width: "640" },
  parameters: () => ({
    // No schema defaults: generated clients would send them with every format.
    duration: z
      .number()
      .min(0.1)
      .max(30)
      .optional()
      .meta({
        output: "load",
        unit: "seconds",
        description: `Length of a recording in seconds, by default ${durationDefault}. A recording costs one screenshot for every ${secondsPerScreenshot} seconds or part thereof.`,
        examples: [3],
      }),
    fps: z
      .int()
      .min(1)
      .max(60)
      .optional()
      .meta({
        output: "load",
        description: `Frames per second of a recording, by default ${fpsDefault.video} in webm and mp4 and ${fpsDefault.animation} in animations; at most ${gifFpsMax} in a gif. Capturing each frame takes about as long as a screenshot of a page that is ready.`,
        examples: [20],
      }),
    scroll: z
      .enum(["down"])
      .optional()
      .meta({
        output: "load",
        description:
          "`down`: scrolls smoothly from the top of the page to the bottom during a recording, pausing at sections if there is time.",
        examples: ["down"],
      }),
  }),
  presets: ({ format, clock, disable_animations }) =>
    isMotionFormat(format) ? { clock: clock ?? "fast", disable_animations: disable_animations ?? false } : {},
  conflicts: (options) => {
    const { format, ...others } = options as Others;
    if (!isMotionFormat(format)) return [];
    const conflicting = [
      ["full_page", others.full_page],
      ["mask_selectors", others.mask_selectors?.length],
      ["fit", others.fit],
      ["max_bytes", others.max_bytes],
      ["slice_height", others.slice_height],
      ["on_timeout", others.on_timeout === "partial"],
    ] as const;
    const isPart = others.selector !== undefined || others.clip_x !== undefined;
    const timing = timingOf({ ...options, format });
    const [stepAt, frameAt] = [lastStepAt(others.steps ?? []), ((frameCount(timing) - 1) * 1000) / timing.fps];
    const late = `has a step after ${stepAt / 1000} s, but the last frame is at ${Math.round(frameAt) / 1000} s`;
    const isTooFast = format === "gif" && (options.fps ?? 0) > gifFpsMax;
    return [
      ...conflicting.flatMap(([parameter, isSet]) => (isSet ? [{ parameter, message: `can't be used with format=${format}` }] : [])),
      ...(options.scroll && isPart ? [{ parameter: "scroll", message: "can't be used with selector or clip_x" }] : []),
      ...(options.scroll && others.steps?.length ? [{ parameter: "scroll", message: "can't be used with steps, which can scroll" }] : []),
      ...(stepAt > frameAt ? [{ parameter: "steps", message: late }] : []),
      ...(isTooFast ? [{ parameter: "fps", message: `must be at most ${gifFpsMax} with format=gif` }] : []),
    ];
  },
  show: async ({ duration, fps, scroll, ...others }, { shot, warn }) => {
    if (shot.motion) return;
    const { format } = others as Others;
    const names = Object.entries({ duration, fps, scroll }).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    warn(`${names.join(" and ")} had no effect: ${format} is not one of ${motionFormats.join(", ")}`);
  },
});

export interface Timing {
  durationMs: number;
  fps: number;
}

interface Given {
  format: string;
  duration?: number | undefined;
  fps?: number | undefined;
}

/** Frame times in milliseconds. The last frame lasts until the end, so no frame is shorter than the others. */
export function frameTimes(timing: Timing): number[] {
  return Array.from({ length: frameCount(timing) }, (_, index) => (index * 1000) / timing.fps);
}

function frameCount({ durationMs, fps }: Timing): number {
  return Math.max(1, Math.floor((durationMs * fps) / 1000 + 1e-9));
}

/** Timing of a recording, with its format's defaults. */
export function timingOf({ format, duration = durationDefault, fps }: Given): Timing {
  return { durationMs: Math.round(duration * 1000), fps: fps ?? (isVideoFormat(format) ? fpsDefault.video : fpsDefault.animation) };
}

/** Cost of a recording, in screenshots of the monthly quota. */
export function screenshotsOf(options: Given): number {
  return Math.ceil(timingOf(options).durationMs / 1000 / secondsPerScreenshot);
}

/** Earliest time, in milliseconds from the first frame, at which the last step that isn't a wait in seconds can be due. */
function lastStepAt(steps: readonly Step[]): number {
  let [at, last] = [0, 0];
  for (const { wait } of steps) {
    if (typeof wait === "number") at += Math.round(wait * 1000);
    else last = at;
  }
  return last;
}
