/** What the cache index keeps about a picture, and its reading back. Pure. */

import { contentTypes, type ImageFormat } from "../images/object-key.ts";

/** Enough to answer a request without looking anywhere else but in the storage. */
export interface CacheEntry {
  /** UUIDv7 */
  id: string;
  objectKey: string;
  etag: string;
  format: ImageFormat;
  bytes: number;
  /** In pixels of the picture. */
  width: number;
  height: number;
  /** HTTP status of the page; `null` where there was none. */
  targetStatus: number | null;
  /** Address of the page after redirects. */
  finalUrl: string;
  title: string;
  warnings: string[];
  /** In milliseconds since 1970. */
  capturedAt: number;
}

/** `undefined` for anything that is not an entry of this version: another version of the service may have written it. */
export function readEntry(text: string): CacheEntry | undefined {
  let value: Partial<CacheEntry> | null;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { id, objectKey, etag, format, bytes, width, height, targetStatus, finalUrl, title, warnings, capturedAt } = value;
  const texts = [id, objectKey, etag, finalUrl, title].every((part) => typeof part === "string");
  const numbers = [bytes, width, height, capturedAt].every(Number.isFinite) && (targetStatus === null || Number.isFinite(targetStatus));
  const known = typeof format === "string" && Object.hasOwn(contentTypes, format);
  const listed = Array.isArray(warnings) && warnings.every((warning) => typeof warning === "string");
  if (!texts || !numbers || !known || !listed) return undefined;
  return { id, objectKey, etag, format, bytes, width, height, targetStatus, finalUrl, title, warnings, capturedAt } as CacheEntry;
}
