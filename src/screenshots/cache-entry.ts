/** What the cache's index knows about a screenshot. Pure. */

import { z } from "zod";
import { type Verdict, verdictKinds } from "../capture/verdict/verdict.ts";
import { formats } from "../formats.ts";

const cachedSlice = z.object({
  id: z.string(),
  objectKey: z.string(),
  etag: z.string(),
  bytes: z.number(),
  /** Row of the whole image at which it begins. */
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
  /** Pixels of the image; `null` for a document. */
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
  /** The files, if the image was cut into several: `id`, `objectKey` and `etag` are those of the first, size and bytes of all together. */
  slices: z.array(cachedSlice).optional(),
});

/** Enough to answer a request with nothing but the image besides. */
export type CacheEntry = z.output<typeof cacheEntry>;

/** Whether a screenshot with this verdict may answer later requests. */
export function mayBeCached({ kind }: Verdict): boolean {
  return kind === "ok" || kind === "unknown";
}

/** Undefined unless `text` is an entry as this version writes them: another version may share the index. */
export function readEntry(text: string): CacheEntry | undefined {
  try {
    return cacheEntry.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
