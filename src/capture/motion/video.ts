/** Encodes recordings as video, with Chromium's own encoders in a blank page. */

import { setImmediate } from "node:timers/promises";
import type { Tab } from "../../browser/tab.ts";
import { AppError } from "../../shared/errors.ts";
import type { VideoFormat } from "../../shared/formats.ts";
import { beginEncoding, type EncodedChunk, type EncoderSetup, encodeFrame, endEncoding, type TrackFacts } from "../in-page/encode-video.ts";
import { asResponse } from "../loading/interception.ts";
import type { EncodedVideo, Encoder, Recording } from "./encoder.ts";
import { writeMp4 } from "./mp4.ts";
import { writeWebm } from "./webm.ts";

interface Kind {
  codec: string;
  name: string;
  /** @param quality 1 to 100. */
  rate(quality: number, pixelsPerSecond: number): Pick<EncoderSetup, "quantizer" | "bitrate">;
  write(video: EncodedVideo): Promise<Buffer>;
}

const bitrateMin = 500_000;
/** Longest time from one key frame to the next: players can only seek to key frames. */
const keyEveryMs = 5_000;

// Levels 5.1 and 5.2 allow 8.9 million pixels per frame.
const kinds: Record<VideoFormat, Kind> = {
  webm: { codec: "vp09.00.51.08", name: "VP9", rate: (quality) => ({ quantizer: Math.round(63 - 0.45 * quality) }), write: writeWebm },
  // Chromium's H.264 encoder has no constant quantizer, so this sets the bit rate: 0.02 to 0.32 bits per pixel, and more for small frames.
  mp4: {
    codec: "avc1.640034",
    name: "H.264",
    rate: (quality, pixels) => ({ bitrate: Math.max(bitrateMin, Math.round(pixels * 0.02 * 2 ** (quality / 25))) }),
    write: writeMp4,
  },
};

/** H.264 requires even sides, so an odd last row or column is cut off. */
export function videoSize(format: VideoFormat, { width, height }: { width: number; height: number }): { width: number; height: number } {
  const even = (side: number) => Math.max(2, side - (side % 2));
  return format === "mp4" ? { width: even(width), height: even(height) } : { width, height };
}

/** @param tab a blank tab. @throws {AppError} `codec_unavailable`. */
export async function openVideoEncoder(
  tab: Tab,
  format: VideoFormat,
  { width, height, quality, ...recording }: Recording,
): Promise<Encoder> {
  const { codec, name, rate, write } = kinds[format];
  const { fps, durationMs, times } = recording;
  await openSecurePage(tab);
  const setup = {
    codec,
    width,
    height,
    fps,
    ...rate(quality, width * height * fps),
    keyEvery: Math.max(1, Math.round((keyEveryMs / 1000) * fps)),
  };
  if (!(await tab.evaluate(beginEncoding, setup)))
    throw new AppError("codec_unavailable", { message: `This service's Chromium can't encode ${name}, which format=${format} requires.` });
  const frames: EncodedVideo["frames"] = [];
  const take = async (chunks: EncodedChunk[]) => {
    recording.hold(chunks.reduce((sum, { data }) => sum + data.length, 0));
    for (const { data, isKey } of chunks) {
      frames.push({ bytes: Buffer.from(data, "base64"), isKey, atMs: times[frames.length] ?? 0 });
      await setImmediate(); // lets other work run, since a frame may be several megabytes in size
    }
  };
  return {
    add: async (image) => await take(await tab.waitFor(encodeFrame, image?.toString("base64"))),
    finish: async () => {
      const { chunks, facts } = await tab.waitFor(endEncoding);
      await take(chunks);
      if (frames.length !== times.length) throw new Error(`${frames.length} of ${times.length} frames were encoded`);
      const description = facts?.description === undefined ? undefined : Buffer.from(facts.description, "base64");
      return write({ width, height, fps, durationMs, frames, color: colorOf(facts), description });
    },
  };
}

/** Code points by WebCodecs name. Anything that Chromium doesn't state is 2, "unspecified". */
const codePoints: Record<string, number> = { bt709: 1, bt470bg: 5, smpte170m: 6, "iec61966-2-1": 13, rgb: 0 };

function colorOf(facts: TrackFacts | undefined): EncodedVideo["color"] {
  const { primaries, transfer, matrix, fullRange } = facts?.color ?? {};
  const codePoint = (name: string | null | undefined) => codePoints[name ?? ""] ?? 2;
  return { primaries: codePoint(primaries), transfer: codePoint(transfer), matrix: codePoint(matrix), isFullRange: fullRange === true };
}

/** WebCodecs requires a secure context, which the blank page is not. Nothing is requested from the network. */
async function openSecurePage(tab: Tab): Promise<void> {
  const answer = asResponse("");
  tab.on("Fetch.requestPaused", ({ requestId }) => void tab.send("Fetch.fulfillRequest", { requestId, ...answer }).catch(() => {}));
  await tab.send("Fetch.enable");
  await Promise.all([tab.once("Page.loadEventFired"), tab.send("Page.navigate", { url: "http://encoder.localhost/" })]);
  await tab.send("Fetch.disable");
}
