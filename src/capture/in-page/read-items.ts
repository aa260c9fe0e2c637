/** Reads the localStorage of the document's origin; null if it has none, or more than `lengthMax` characters. */
export function readItems(lengthMax: number): { origin: string; items: { name: string; value: string }[] } | null {
  try {
    const items = Object.entries(localStorage).map(([name, value]) => ({ name, value: String(value) }));
    const length = items.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
    return length > lengthMax ? null : { origin: location.origin, items };
  } catch {
    return null; // an opaque origin
  }
}
