/**
 * Writes a WebM file with one video track: RFC 8794 (EBML), RFC 9559 (Matroska) and the WebM guidelines. The file contains neither
 * dates nor random IDs, so the same frames always yield the same bytes.
 */

import { joinInChunks, lengthOf } from "../../shared/turns.ts";
import type { EncodedVideo } from "./encoder.ts";
import { u32, unsigned } from "./numbers.ts";

const ids = {
  ebml: 0x1a45dfa3,
  ebmlVersion: 0x4286,
  ebmlReadVersion: 0x42f7,
  ebmlMaxIdLength: 0x42f2,
  ebmlMaxSizeLength: 0x42f3,
  docType: 0x4282,
  docTypeVersion: 0x4287,
  docTypeReadVersion: 0x4285,
  segment: 0x18538067,
  seekHead: 0x114d9b74,
  seek: 0x4dbb,
  seekId: 0x53ab,
  seekPosition: 0x53ac,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  muxingApp: 0x4d80,
  writingApp: 0x5741,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackUid: 0x73c5,
  trackType: 0x83,
  flagLacing: 0x9c,
  codecId: 0x86,
  defaultDuration: 0x23e383,
  video: 0xe0,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  color: 0x55b0,
  matrixCoefficients: 0x55b1,
  range: 0x55b9,
  transferCharacteristics: 0x55ba,
  primaries: 0x55bb,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
  blockDuration: 0x9b,
  referenceBlock: 0xfb,
  cues: 0x1c53bb6b,
  cuePoint: 0xbb,
  cueTime: 0xb3,
  cueTrackPositions: 0xb7,
  cueTrack: 0xf7,
  cueClusterPosition: 0xf1,
} as const;

const trackNumber = 1;
const nsPerMs = 1_000_000;

/** Times are rounded to milliseconds, the unit of nearly all WebM files. */
export async function writeWebm(video: EncodedVideo): Promise<Buffer> {
  const header = element(ids.ebml, [
    number(ids.ebmlVersion, 1),
    number(ids.ebmlReadVersion, 1),
    number(ids.ebmlMaxIdLength, 4),
    number(ids.ebmlMaxSizeLength, 8),
    text(ids.docType, "webm"),
    number(ids.docTypeVersion, 4),
    number(ids.docTypeReadVersion, 2),
  ]);
  const info = element(ids.info, [
    number(ids.timestampScale, nsPerMs),
    float(ids.duration, video.durationMs),
    text(ids.muxingApp, "Tintype"),
    text(ids.writingApp, "Tintype"),
  ]);
  const tracks = element(ids.tracks, [trackOf(video)]);
  const clusters = clustersOf(video);
  // Positions have a fixed length, so the sizes of the seek head and the cues are known before the positions.
  const seekHead = (cuesAt: number) =>
    element(ids.seekHead, [element(ids.seek, [element(ids.seekId, [unsigned(ids.cues)]), element(ids.seekPosition, [u32(cuesAt)])])]);
  const cues = (firstAt: number) => {
    let at = firstAt;
    const points = clusters.map(({ parts, atMs }) => {
      const position = element(ids.cueTrackPositions, [number(ids.cueTrack, trackNumber), element(ids.cueClusterPosition, [u32(at)])]);
      at += lengthOf(parts);
      return element(ids.cuePoint, [number(ids.cueTime, atMs), position]);
    });
    return element(ids.cues, points);
  };
  const cuesAt = seekHead(0).length + info.length + tracks.length;
  const segment = [seekHead(cuesAt), info, tracks, cues(cuesAt + cues(0).length), ...clusters.flatMap(({ parts }) => parts)];
  return await joinInChunks([header, ...partsOf(ids.segment, segment)]);
}

function trackOf({ width, height, fps, color }: EncodedVideo): Buffer {
  const { matrix, transfer, primaries, isFullRange } = color;
  return element(ids.trackEntry, [
    number(ids.trackNumber, trackNumber),
    number(ids.trackUid, trackNumber),
    number(ids.trackType, 1), // video
    number(ids.flagLacing, 0),
    text(ids.codecId, "V_VP9"),
    number(ids.defaultDuration, Math.round((1000 * nsPerMs) / fps)),
    element(ids.video, [
      number(ids.pixelWidth, width),
      number(ids.pixelHeight, height),
      element(ids.color, [
        number(ids.matrixCoefficients, matrix),
        number(ids.range, isFullRange ? 2 : 1),
        number(ids.transferCharacteristics, transfer),
        number(ids.primaries, primaries),
      ]),
    ]),
  ]);
}

interface Cluster {
  /** Not joined, so that frames are copied only once. */
  parts: Buffer[];
  atMs: number;
}

/** Each cluster begins with a key frame. Times within a cluster are 16-bit integers, enough for 32 seconds. */
function clustersOf({ frames, durationMs }: EncodedVideo): Cluster[] {
  const times = [...frames.map(({ atMs }) => Math.round(atMs)), Math.round(durationMs)];
  const clusters: Cluster[] = [];
  for (const [index, { bytes, isKey }] of frames.entries()) {
    const atMs = times[index] as number;
    if (isKey || clusters.length === 0) clusters.push({ atMs, parts: [number(ids.timestamp, atMs)] });
    const cluster = clusters.at(-1) as Cluster;
    const isLast = index === frames.length - 1;
    const head = Buffer.from([0x80 | trackNumber, 0, 0, isKey && !isLast ? 0x80 : 0]);
    head.writeInt16BE(atMs - cluster.atMs, 1);
    // Only a block group can state a duration; other blocks last until the next one.
    const since = isKey ? [] : [element(ids.referenceBlock, [u32((times[index - 1] ?? 0) - atMs)])];
    cluster.parts.push(
      ...(isLast
        ? partsOf(ids.blockGroup, [...partsOf(ids.block, [head, bytes]), number(ids.blockDuration, durationMs - atMs), ...since])
        : partsOf(ids.simpleBlock, [head, bytes])),
    );
  }
  return clusters.map(({ atMs, parts }) => ({ atMs, parts: partsOf(ids.cluster, parts) }));
}

function element(id: number, content: Buffer[]): Buffer {
  return Buffer.concat(partsOf(id, content));
}

/** An element's buffers, not joined yet. */
function partsOf(id: number, content: Buffer[]): Buffer[] {
  return [unsigned(id), sizeBytes(lengthOf(content)), ...content];
}

/** The number of leading zero bits is the number of bytes that follow the first. */
function sizeBytes(size: number): Buffer {
  const length = [1, 2, 3, 4].find((bytes) => size < 2 ** (7 * bytes) - 1) ?? 8;
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(size) | (1n << BigInt(7 * length)));
  return bytes.subarray(8 - length);
}

function number(id: number, value: number): Buffer {
  return element(id, [unsigned(Math.round(value))]);
}

function float(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return element(id, [bytes]);
}

function text(id: number, value: string): Buffer {
  return element(id, [Buffer.from(value)]);
}
