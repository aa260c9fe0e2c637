/** Encodes video with WebCodecs, in a blank page. Each function is serialized, so it must be self-contained. */

export interface EncoderSetup {
  codec: string;
  width: number;
  height: number;
  fps: number;
  /** Constant quantizer, on the codec's own scale; undefined for a variable bitrate with `bitrate` as its target. */
  quantizer?: number;
  /** Bits per second. */
  bitrate?: number;
  /** Key frame interval, in frames. */
  keyEvery: number;
}

export interface EncodedChunk {
  /** Base64. */
  data: string;
  isKey: boolean;
}

/** Frame properties for the track's header. */
export interface TrackFacts {
  /** Base64; absent if the codec needs none. */
  description?: string;
  color: { primaries?: string | null; transfer?: string | null; matrix?: string | null; fullRange?: boolean | null };
}

interface Encoding {
  setup: EncoderSetup;
  encoder: VideoEncoder;
  canvas: OffscreenCanvas;
  count: number;
  chunks: EncodedChunk[];
  facts?: TrackFacts;
  failure?: unknown;
}

interface World {
  encoding?: Encoding;
}

/** Sets up the encoder. Resolves to false if this browser can't encode `setup.codec`. */
export async function beginEncoding(setup: EncoderSetup): Promise<boolean> {
  const { codec, width, height, fps: framerate, quantizer, bitrate } = setup;
  const rate =
    quantizer === undefined ? ({ bitrateMode: "variable", bitrate: bitrate ?? 0 } as const) : { bitrateMode: "quantizer" as const };
  const config: VideoEncoderConfig = { codec, width, height, framerate, ...rate, latencyMode: "quality", avc: { format: "avc" } };
  const isSupported = async () => (await VideoEncoder.isConfigSupported(config)).supported === true;
  if (typeof VideoEncoder === "undefined" || !(await isSupported().catch(() => false))) return false;
  const base64 = (bytes: Uint8Array) => {
    let binary = "";
    for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    return btoa(binary);
  };
  const encoder = new VideoEncoder({
    output: (chunk, about) => {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      encoding.chunks.push({ data: base64(bytes), isKey: chunk.type === "key" });
      const track = about?.decoderConfig;
      if (!track || encoding.facts) return;
      const { description } = track;
      const view = description && (ArrayBuffer.isView(description) ? description.buffer : description);
      encoding.facts = { color: { ...track.colorSpace }, ...(view ? { description: base64(new Uint8Array(view as ArrayBuffer)) } : {}) };
    },
    error: (error) => {
      encoding.failure = error;
    },
  });
  encoder.configure(config);
  const encoding: Encoding = { setup, encoder, canvas: new OffscreenCanvas(width, height), count: 0, chunks: [] };
  (globalThis.tintypeOwn as World).encoding = encoding;
  return true;
}

/**
 * Encodes the next frame.
 * @param image PNG in Base64; undefined repeats the previous image.
 * @returns the chunks encoded since the last call; the encoder may lag behind.
 */
export async function encodeFrame(image: string | undefined): Promise<EncodedChunk[]> {
  const { encoding } = globalThis.tintypeOwn as World;
  if (!encoding) throw new Error("the encoder was not set up");
  const { setup, encoder, canvas, count } = encoding;
  const queueMax = 4;
  if (image) {
    const blob = await (await fetch(`data:image/png;base64,${image}`)).blob();
    const bitmap = await createImageBitmap(blob);
    canvas.getContext("2d", { alpha: false })?.drawImage(bitmap, 0, 0);
    bitmap.close();
  }
  const at = (index: number) => Math.round((index * 1_000_000) / setup.fps);
  const frame = new VideoFrame(canvas, { timestamp: at(count), duration: at(count + 1) - at(count) });
  const { quantizer, keyEvery } = setup;
  const keyFrame = count % keyEvery === 0;
  encoder.encode(frame, { keyFrame, ...(quantizer === undefined ? {} : { vp9: { quantizer } }) } as VideoEncoderEncodeOptions);
  frame.close();
  encoding.count += 1;
  while (encoder.encodeQueueSize > queueMax && !encoding.failure)
    await new Promise((resolve) => encoder.addEventListener("dequeue", resolve, { once: true }));
  if (encoding.failure) throw encoding.failure;
  return encoding.chunks.splice(0);
}

/** Flushes and closes the encoder. */
export async function endEncoding(): Promise<{ chunks: EncodedChunk[]; facts: TrackFacts | undefined }> {
  const { encoding } = globalThis.tintypeOwn as World;
  if (!encoding) throw new Error("the encoder was not set up");
  await encoding.encoder.flush();
  if (encoding.failure) throw encoding.failure;
  encoding.encoder.close();
  return { chunks: encoding.chunks.splice(0), facts: encoding.facts };
}
