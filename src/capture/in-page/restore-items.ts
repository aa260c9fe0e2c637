/** Fills the localStorage of the document's origin. @returns the number of items that didn't fit. */
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
