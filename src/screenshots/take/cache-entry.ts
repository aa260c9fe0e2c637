/** Entries of the cache index, each describing a stored screenshot. Pure. */

import { z } from "zod";
import { type Verdict, verdictKinds } from "../../capture/verdict/verdict.ts";
import { formats } from "../../shared/formats.ts";

const cachedSlice = z.object({
  id: z.string(),
  objectKey: z.string(),
  etag: z.string(),
  bytes: z.number(),
  /** Pixel row of the whole image at which the slice starts. */
  y: z.number(),
  width: z.number(),
  height: z.number(),
});

const cacheEntry = z.object({
  /** UUIDv7. */
  id: z.string(),
  objectKey: z.string(),
  etag: z.string(),
  format: z.enum(formats),
  bytes: z.number(),
  /** In pixels; `null` for a document. */
  width: z.number().nullable(),
  height: z.number().nullable(),
  /** HTTP status of the page; `null` if there was none. */
  targetStatus: z.number().nullable(),
  /** URL of the page after redirects. */
  finalUrl: z.string(),
  title: z.string(),
  verdict: z.object({ kind: z.enum(verdictKinds), confidence: z.number(), reasons: z.array(z.string()) }),
  warnings: z.array(z.string()),
  /** Unix milliseconds. */
  capturedAt: z.number(),
  /** Set if the image was cut into slices: `id`, `objectKey` and `etag` are then the first slice's; size and `bytes` cover all slices. */
  slices: z.array(cachedSlice).optional(),
});

/** Everything needed for a response, apart from the image itself. */
export type CacheEntry = z.output<typeof cacheEntry>;

/** Whether a screenshot with this verdict may be reused for later requests. */
export function mayBeCached({ kind }: Verdict): boolean {
  return kind === "ok" || kind === "unknown";
}

/** Undefined unless `text` is an entry in this version's format: processes of another version may share the index. */
export function parseCacheEntry(text: string): CacheEntry | undefined {
  try {
    return cacheEntry.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
