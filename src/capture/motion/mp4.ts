/**
 * Writes an MP4 file with one H.264 track: ISO/IEC 14496-12 and -15. The index comes first, so that playback can begin before the whole
 * file has arrived. The file contains no dates, so the same frames always yield the same bytes.
 */

import { joinInChunks, lengthOf } from "../../shared/turns.ts";
import type { EncodedVideo } from "./encoder.ts";
import { u16, u32 } from "./numbers.ts";

const matrix = Buffer.concat([0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000].map(u32));

/** Requires `video.description`. */
export async function writeMp4(video: EncodedVideo): Promise<Buffer> {
  const type = box("ftyp", Buffer.from("isom"), u32(0x200), Buffer.from("isomiso2avc1mp41"));
  const indexLength = indexOf(video, 0).length;
  const media = video.frames.map(({ bytes }) => bytes);
  return await joinInChunks([type, indexOf(video, type.length + indexLength + 8), boxHead("mdat", lengthOf(media)), ...media]);
}

/** @param mediaAt byte offset of the first frame in the file. */
function indexOf(video: EncodedVideo, mediaAt: number): Buffer {
  const { width, height, durationMs, fps } = video;
  // In this time scale, every frame but the last takes 1000 units, and every number of milliseconds is a whole number of units.
  const scale = fps * 1000;
  const duration = Math.round(durationMs * fps);
  const movie = fullBox(
    "mvhd",
    0,
    u32(0),
    u32(0),
    u32(scale),
    u32(duration),
    u32(0x10000),
    u16(0x100),
    zeros(10),
    matrix,
    zeros(24),
    u32(2),
  );
  const header = fullBox(
    "tkhd",
    3, // enabled, and part of the presentation
    ...[u32(0), u32(0), u32(1), u32(0), u32(duration), zeros(16), matrix, u32(width * 0x10000), u32(height * 0x10000)],
  );
  const mediaHeader = fullBox("mdhd", 0, u32(0), u32(0), u32(scale), u32(duration), u16(0x55c4), u16(0)); // language: undetermined
  const handler = fullBox("hdlr", 0, u32(0), Buffer.from("vide"), zeros(12), Buffer.from("\0"));
  const data = box("dinf", fullBox("dref", 0, u32(1), fullBox("url ", 1)));
  const information = box("minf", fullBox("vmhd", 1, zeros(8)), data, tableOf(video, duration, mediaAt));
  return box("moov", movie, box("trak", header, box("mdia", mediaHeader, handler, information)));
}

function tableOf({ frames, width, height, color, description }: EncodedVideo, duration: number, mediaAt: number): Buffer {
  if (!description) throw new TypeError("an H.264 track requires a description");
  const { primaries, transfer, matrix: coefficients, isFullRange } = color;
  const entry = box(
    "avc1",
    ...[zeros(6), u16(1), zeros(16), u16(width), u16(height), u32(0x480000), u32(0x480000), u32(0), u16(1), zeros(32), u16(24)],
    u16(0xffff),
    box("avcC", description),
    box("colr", Buffer.from("nclx"), u16(primaries), u16(transfer), u16(coefficients), Buffer.from([isFullRange ? 0x80 : 0])),
  );
  const others = frames.length - 1;
  const durations = [...(others > 0 ? [[others, 1000]] : []), [1, duration - others * 1000]] as [number, number][];
  const keys = frames.flatMap(({ isKey }, index) => (isKey ? [index + 1] : []));
  return box(
    "stbl",
    fullBox("stsd", 0, u32(1), entry),
    fullBox("stts", 0, u32(durations.length), ...durations.flat().map(u32)),
    fullBox("stss", 0, u32(keys.length), ...keys.map(u32)),
    fullBox("stsc", 0, u32(1), u32(1), u32(frames.length), u32(1)), // one chunk with all frames
    fullBox("stsz", 0, u32(0), u32(frames.length), ...frames.map(({ bytes }) => u32(bytes.length))),
    fullBox("stco", 0, u32(1), u32(mediaAt)),
  );
}

function box(type: string, ...content: Buffer[]): Buffer {
  return Buffer.concat([boxHead(type, lengthOf(content)), ...content]);
}

function boxHead(type: string, contentLength: number): Buffer {
  return Buffer.concat([u32(contentLength + 8), Buffer.from(type)]);
}

function fullBox(type: string, flags: number, ...content: Buffer[]): Buffer {
  return box(type, u32(flags), ...content);
}

function zeros(count: number): Buffer {
  return Buffer.alloc(count);
}
