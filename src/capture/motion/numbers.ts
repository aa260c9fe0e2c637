/** Encodes integers as big-endian bytes, as MP4 and WebM store them. */

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

/** @param value stored as two's complement if negative. */
export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

/** Uses as few bytes as possible, but at least one. */
export function unsigned(value: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(value, 0, 6);
  const first = bytes.findIndex((byte) => byte !== 0);
  return bytes.subarray(first === -1 ? 5 : first);
}
