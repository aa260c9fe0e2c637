/** Reads and restores the storage of the document's origin. Runs in the page, so these functions must be self-contained. */

/**
 * Reads the localStorage of the document's origin; null if the origin is opaque, or if the items have more than `lengthMax` characters.
 * Returns at most `itemsMax + 1` items, so that the caller can tell if there are too many.
 */
export function readItems(lengthMax: number, itemsMax: number): { origin: string; items: { name: string; value: string }[] } | null {
  try {
    const some = Object.entries(localStorage).slice(0, itemsMax + 1);
    const items = some.map(([name, value]) => ({ name, value: String(value) }));
    const length = items.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
    return length > lengthMax ? null : { origin: location.origin, items };
  } catch {
    return null; // an opaque origin
  }
}

/** Writes `items` to the localStorage of the document's origin. @returns the number of items that didn't fit. */
export function restoreItems(items: { name: string; value: string }[]): number {
  let failed = 0;
  for (const { name, value } of items)
    try {
      localStorage.setItem(name, value);
    } catch {
      failed += 1; // the quota is used up
    }
  return failed;
}

interface Index {
  name: string;
  keyPath?: string | undefined;
  keyPathArray?: string[] | undefined;
  unique: boolean;
  multiEntry: boolean;
}

interface Store extends Omit<Index, "unique" | "multiEntry"> {
  autoIncrement: boolean;
  indexes: Index[];
  records: { key?: unknown; keyEncoded?: unknown; value?: unknown; valueEncoded?: unknown }[];
}

/** Creates an IndexedDB database with its stores, indexes and records. @returns whether it succeeded. */
export function restoreDatabase({ name, version, stores }: { name: string; version: number; stores: Store[] }): Promise<boolean> {
  const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)).buffer;
  const arrays = { i8: Int8Array, ui8: Uint8Array, ui8c: Uint8ClampedArray, i16: Int16Array, ui16: Uint16Array, i32: Int32Array };
  const longer = { ui32: Uint32Array, f32: Float32Array, f64: Float64Array, bi64: BigInt64Array, bui64: BigUint64Array };
  const values = { null: null, NaN: Number.NaN, Infinity: Number.POSITIVE_INFINITY, "-Infinity": Number.NEGATIVE_INFINITY, "-0": -0 };

  /** Decodes values that JSON can't express, as encoded by Playwright's `storageState`. Shared and circular values refer to an id. */
  // biome-ignore lint/suspicious/noExplicitAny: the form has a member for each type
  function decode(encoded: any, known = new Map<number, unknown>()): unknown {
    if (typeof encoded !== "object" || encoded === null) return encoded;
    const { ref, v, d, u, bi, r, e, ab, ta, a, o = [], id } = encoded;
    if (ref !== undefined) return known.get(ref);
    if (v !== undefined) return values[v as keyof typeof values];
    if (d !== undefined) return new Date(d);
    if (u !== undefined) return new URL(u);
    if (bi !== undefined) return BigInt(bi);
    if (r !== undefined) return new RegExp(r.p, r.f);
    if (e !== undefined) return Object.assign(new Error(e.m), { name: e.n, stack: e.s });
    if (ab !== undefined) return bytesOf(ab.b);
    if (ta !== undefined) return new { ...arrays, ...longer }[ta.k as keyof typeof arrays](bytesOf(ta.b));
    const made: Record<string, unknown> | unknown[] = a ? [] : {};
    known.set(id, made);
    for (const [k, item] of a ? a.entries() : o.map((member: { k: string; v: unknown }) => [member.k, member.v]))
      Object.defineProperty(made, k, { value: decode(item, known), writable: true, enumerable: true, configurable: true });
    return made;
  }

  return new Promise((resolve) => {
    const opening = indexedDB.open(name, version);
    opening.onerror = () => resolve(false);
    opening.onupgradeneeded = () => {
      for (const { keyPath, keyPathArray, autoIncrement, ...store } of stores) {
        const made = opening.result.createObjectStore(store.name, { keyPath: keyPathArray ?? keyPath ?? null, autoIncrement });
        for (const index of store.indexes) made.createIndex(index.name, index.keyPathArray ?? index.keyPath ?? "", index);
        for (const { key, keyEncoded, value, valueEncoded } of store.records)
          made.put(
            valueEncoded === undefined ? value : decode(valueEncoded),
            (keyEncoded === undefined ? key : decode(keyEncoded)) as IDBValidKey,
          );
      }
    };
    opening.onsuccess = () => {
      opening.result.close();
      resolve(true);
    };
  });
}
