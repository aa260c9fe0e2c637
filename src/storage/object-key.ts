/** Keys of stored captures. Pure. */

import { contentTypes, extensions, type Format, formats } from "../shared/formats.ts";

/** Content type by the key's extension. */
export function contentTypeOf(key: string): string {
  const format = formats.find((one) => key.endsWith(`.${extensions[one]}`));
  return format ? contentTypes[format] : "application/octet-stream";
}

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether `text` is a UUIDv7 (RFC 9562) in lower case with hyphens, the only accepted form. */
export function isImageId(text: string): boolean {
  return uuidV7.test(text);
}

/**
 * `screenshots/YYYY/MM/DD/<id>.<ext>`: the day in UTC comes from the id's timestamp, so the key is determined by the id and the format.
 * @param id UUIDv7 in lower case.
 * @throws {TypeError} for any other id: a key must never contain text from a caller.
 */
export function objectKey(id: string, format: Format): string {
  if (!isImageId(id)) throw new TypeError("the id of a capture must be a UUIDv7");
  const day = new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
  const parts = [padded(day.getUTCFullYear(), 4), padded(day.getUTCMonth() + 1, 2), padded(day.getUTCDate(), 2)];
  return `screenshots/${parts.join("/")}/${id}.${extensions[format]}`;
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, "0");
}
