/** Lists stored screenshots, and reads them for comparisons, together with the elements from the same capture. */

import { setTimeout as delay } from "node:timers/promises";
import { findScreenshots, type HistoryEntry, listOutputs } from "../../accounts/history/history.ts";
import { searchHistory } from "../../accounts/history/search.ts";
import type { Caller } from "../../accounts/keys/caller.ts";
import { mayCapture } from "../../accounts/keys/restrictions.ts";
import { comparedPixelsMax, isElementsOf, type ReadShot as Shot } from "../../comparison/comparison.ts";
import type { Database } from "../../database/database.ts";
import { AppError } from "../../shared/errors.ts";
import { type Format, imageFormats } from "../../shared/formats.ts";
import { readInChunks } from "../../shared/turns.ts";
import { callStore, type ImageStore, type StoredImage } from "../../storage/store.ts";
import type { ComparedSide, OutputRequest } from "../captures/taken-outputs.ts";

export interface ShotParts {
  database: Database;
  store: ImageStore;
}

/** Determines which screenshots are visible, by account, key and page. */
export type Viewer = Pick<Caller, "userId" | "id" | "allowedDomains" | "allowedTargets">;

export interface StoredShot extends Shot, ComparedSide {}

/** A screenshot id given in a request, and the name of the member that contains it, such as `captures[3].compare_to`. */
export interface NamedId {
  member: string;
  id: string;
}

/**
 * @param captures each with the `prefix` that precedes its members' names in error messages, such as `captures[3].`.
 * @throws {AppError} `not_found`, `invalid_parameters` or `unavailable`, in the same cases as `assertComparable`.
 */
export async function assertOutputsComparable(
  database: Database,
  viewer: Viewer,
  captures: { prefix: string; outputs: OutputRequest[] }[],
): Promise<void> {
  const named = captures.flatMap(({ prefix, outputs }) =>
    outputs.flatMap(({ request: { options } }) => (options.compare_to ? [{ member: `${prefix}compare_to`, id: options.compare_to }] : [])),
  );
  if (named.length > 0) await assertComparable(database, viewer, named);
}

/**
 * Waits for screenshots that are still being stored.
 * @throws {AppError} `not_found` if the viewer has no such stored screenshot; `invalid_parameters` if it is not an image or has too many
 *   pixels; `unavailable` if storing takes too long.
 */
export async function assertComparable(database: Database, viewer: Viewer, named: NamedId[]): Promise<void> {
  const found = await findStored(database, viewer, [...new Set(named.map(({ id }) => id))]);
  for (const { member, id } of named) comparable(member, id, found.get(id));
}

/**
 * Screenshots made with the viewer's key, newest first: at most `limit`, older than the one with the id `before`. Omits screenshots
 * of pages that the key may no longer capture.
 */
export async function listStored(
  database: Database,
  viewer: Viewer,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<{ screenshots: (HistoryEntry & { format: Format })[]; next: string | null }> {
  const filter = { status: "done", keyId: viewer.id } as const;
  const { ids, reached } = await searchHistory(database, viewer.userId, filter, { from: before, direction: "older", limit: limit + 1 });
  const shown = ids.slice(0, limit);
  const found = await findVisible(database, viewer, shown);
  const screenshots = shown.flatMap((id) => {
    const { format = null, objectKey = null, ...one } = found.get(id) ?? ({} as Partial<HistoryEntry>);
    return format !== null && objectKey !== null ? [{ ...(one as HistoryEntry), format, objectKey }] : [];
  });
  return { screenshots, next: ids.length > limit ? (shown.at(-1) ?? null) : reached };
}

/** Maximum wait for a screenshot to be stored. Storing takes place in the background, possibly after the caller has received the image. */
const storingMaxMs = 5_000;
const pollMs = { first: 20, factor: 2, max: 500 };
const retryAfterSeconds = 5;

/** Calls `findVisible` until none of the screenshots is still being stored. @throws {AppError} `unavailable` if that takes too long. */
async function findStored(database: Database, viewer: Viewer, ids: string[]): Promise<Map<string, HistoryEntry>> {
  const until = performance.now() + storingMaxMs;
  for (let waitMs = pollMs.first; ; waitMs = Math.min(waitMs * pollMs.factor, pollMs.max)) {
    const found = await findVisible(database, viewer, ids);
    const pending = [...found.values()].find(({ status }) => status === "pending");
    if (!pending) return found;
    if (performance.now() >= until)
      throw new AppError("unavailable", { message: `The screenshot ${pending.id} has not been stored yet.`, retryAfterSeconds });
    await delay(waitMs);
  }
}

/** Omits screenshots of pages that the viewer may not capture. A key restricted to domains is public, so it sees only its own. */
async function findVisible(database: Database, viewer: Viewer, ids: string[]): Promise<Map<string, HistoryEntry>> {
  const found = await findScreenshots(database, viewer.userId, ids);
  const isPublic = viewer.allowedDomains.length > 0;
  for (const [id, { keyId, url, finalUrl }] of found) {
    const isVisible = (!isPublic || keyId === viewer.id) && [url, finalUrl ?? url].every((one) => mayCapture(viewer, one));
    if (!isVisible) found.delete(id);
  }
  return found;
}

/**
 * Includes the elements if another output of the same capture has them at the same size. Unlike `assertComparable`, doesn't wait for a
 * screenshot that is still being stored, because the caller holds a permit.
 * @throws {AppError} `not_found` if the viewer has no such stored screenshot, or its file is missing; `invalid_parameters` if it is not an
 *   image or has too many pixels; `unavailable` if object storage fails.
 */
export async function readStoredShot(parts: ShotParts, viewer: Viewer, { member, id }: NamedId): Promise<StoredShot> {
  const { captureId, ...shot } = await readStoredImage(parts, viewer, { member, id });
  const elements = await readElements(parts, viewer.userId, captureId, shot);
  return { ...shot, ...(elements ? { elements } : {}) };
}

/** Like `readStoredShot`, with the same errors, but without the elements. */
export async function readStoredImage(
  { database, store }: ShotParts,
  viewer: Viewer,
  { member, id }: NamedId,
): Promise<StoredShot & { captureId: string | null }> {
  const screenshot = (await findVisible(database, viewer, [id])).get(id);
  const { objectKey, bytes, ...side } = comparable(member, id, screenshot);
  const image = await readFile(store, objectKey, bytes);
  if (!image) throw missing(member, id);
  return { ...side, image, captureId: screenshot?.captureId ?? null };
}

/**
 * The stored bytes as a stream. Waits for a screenshot that is still being stored.
 * @throws {AppError} `not_found`, also if the file is missing; `invalid_parameters` if it is not an image or has too many pixels;
 *   `unavailable` if storing takes too long, or object storage fails.
 */
export async function openStoredImage(
  { database, store }: ShotParts,
  viewer: Viewer,
  { member, id }: NamedId,
): Promise<StoredImage & Pick<ComparedSide, "format">> {
  const { objectKey, format, bytes } = comparable(member, id, (await findStored(database, viewer, [id])).get(id));
  const stored = await callStore((signal) => store.get(objectKey, signal, { bytes }));
  if (!stored) throw missing(member, id);
  return { ...stored, format };
}

async function readElements(
  { database, store }: ShotParts,
  userId: string,
  captureId: string | null,
  shot: ComparedSide,
): Promise<Buffer | undefined> {
  const outputs = captureId === null ? [] : await listOutputs(database, userId, captureId);
  for (const { format, objectKey, bytes } of outputs) {
    const file = format === "elements" && objectKey ? await readFile(store, objectKey, bytes) : undefined;
    if (file && isElementsOf(file, shot)) return file;
  }
  return undefined;
}

/** @throws {AppError} `invalid_parameters` if the image has too many pixels. */
export function assertPixels(member: string, { id, width, height }: Pick<ComparedSide, "id" | "width" | "height">): void {
  if (width * height <= comparedPixelsMax) return;
  const allowed = `an image of at most ${comparedPixelsMax / 1e6} megapixels`;
  throw refused(member, `${id} has ${Math.round((width * height) / 1e6)} megapixels`, allowed);
}

interface StoredFile {
  objectKey: string;
  /** Null if it wasn't recorded. */
  bytes: number | null;
}

function comparable(member: string, id: string, screenshot: HistoryEntry | undefined): ComparedSide & StoredFile {
  const { objectKey = null, bytes = null, width = null, height = null } = screenshot ?? {};
  const format = imageFormats.find((one) => one === screenshot?.format);
  if (objectKey && !format) throw refused(member, `${id} is not an image (its format is ${screenshot?.format})`, "the id of an image");
  if (!objectKey || !format || width === null || height === null) throw missing(member, id);
  assertPixels(member, { id, width, height });
  return { id, format, width, height, objectKey, bytes };
}

async function readFile(store: ImageStore, key: string, bytes: number | null): Promise<Buffer | undefined> {
  return await callStore(async (signal) => {
    const stored = await store.get(key, signal, { bytes });
    return stored && (await readInChunks(stored.stream));
  });
}

function missing(member: string, id: string): AppError {
  return new AppError("not_found", { message: `${member}: the account has no stored screenshot ${id}.` });
}

function refused(member: string, problem: string, allowed: string): AppError {
  return new AppError("invalid_parameters", { details: [{ parameter: member, message: `${member}: ${problem}`, allowed }] });
}
