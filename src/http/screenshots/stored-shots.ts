/** Reads stored screenshots for comparison, with the elements of the same capture. */

import { buffer } from "node:stream/consumers";
import { outputsOf, readScreenshot, type StoredScreenshot } from "../../accounts/usage/history.ts";
import type { ElementList, Shot } from "../../comparison/comparison.ts";
import type { Database } from "../../database.ts";
import { AppError } from "../../errors.ts";
import { type ImageFormat, imageFormats } from "../../formats.ts";
import type { ImageStore } from "../../images/store.ts";
import { callStore } from "../call-store.ts";

export interface StoredShot extends Shot {
  id: string;
  format: ImageFormat;
  width: number;
  height: number;
}

/** Decoded, two of them take 400 MB. */
const pixelsMax = 50_000_000;

/**
 * Its elements are those of an output of the same capture with the same size.
 * @param member of the request that has the id.
 * @throws {AppError} `not_found` for ids that the account doesn't have, or whose file is gone; `invalid_parameters` for what is no image.
 */
export async function readStoredShot(
  { database, store }: { database: Database; store: ImageStore },
  userId: string,
  { member, id }: { member: string; id: string },
): Promise<StoredShot> {
  const screenshot = await readScreenshot(database, userId, id).catch((error) => {
    throw error instanceof AppError && error.code === "not_found" ? missing(member, id) : error;
  });
  const format = imageFormats.find((one) => one === screenshot.format);
  if (screenshot.objectKey && !format) throw refused(member, `${id} is no image but ${screenshot.format}`, "id of an image");
  const { objectKey, width, height } = screenshot;
  if (!objectKey || !format || width === null || height === null) throw missing(member, id);
  if (width * height > pixelsMax) {
    const allowed = `an image of at most ${pixelsMax / 1e6} megapixels`;
    throw refused(member, `${id} has ${Math.round((width * height) / 1e6)} megapixels`, allowed);
  }
  const image = await readFile(store, objectKey);
  if (!image) throw missing(member, id);
  const elements = await readElements({ database, store }, userId, screenshot);
  return { id, format, width, height, image, ...(elements ? { elements } : {}) };
}

async function readElements(
  { database, store }: { database: Database; store: ImageStore },
  userId: string,
  { captureId, width, height }: StoredScreenshot,
): Promise<ElementList | undefined> {
  const outputs = captureId === null ? [] : await outputsOf(database, userId, captureId);
  for (const { format, objectKey } of outputs) {
    const file = format === "elements" && objectKey ? await readFile(store, objectKey) : undefined;
    const list: ElementList | undefined = file && JSON.parse(file.toString());
    if (list && list.width === width && list.height === height) return list;
  }
  return undefined;
}

async function readFile(store: ImageStore, key: string): Promise<Buffer | undefined> {
  const stored = await callStore((signal) => store.get(key, signal));
  return stored && (await buffer(stored.stream));
}

function missing(member: string, id: string): AppError {
  return new AppError("not_found", { message: `${member}: the account has no stored screenshot ${id}.` });
}

function refused(member: string, problem: string, allowed: string): AppError {
  return new AppError("invalid_parameters", { details: [{ parameter: member, message: `${member}: ${problem}`, allowed }] });
}
