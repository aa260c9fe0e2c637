/** Whole numbers as bytes, the most significant one first, as both containers store them. */

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

/** @param value may be negative: it is then stored as its complement. */
export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

/** As few bytes as possible, at least one. */
export function unsigned(value: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(value, 0, 6);
  const first = bytes.findIndex((byte) => byte !== 0);
  return bytes.subarray(first === -1 ? 5 : first);
}
