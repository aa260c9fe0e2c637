/** Names of the captures of a batch: unique, and safe as file names. Pure. */

const lengthMax = 100;

/** @param given those that the caller chose, different from each other. @param targets what each captures. */
export function namesOfBatch(given: (string | undefined)[], targets: URL[]): string[] {
  const taken = new Set(given.flatMap((name) => name?.toLowerCase() ?? []));
  const counts = new Map<string, number>();
  return given.map((own, index) => {
    if (own !== undefined) return own;
    const stem = stemOf(targets[index]);
    for (let count = counts.get(stem.toLowerCase()) ?? 1; ; count += 1) {
      const name = count === 1 ? stem : `${stem}-${count}`;
      if (taken.has(name.toLowerCase())) continue;
      taken.add(name.toLowerCase());
      counts.set(stem.toLowerCase(), count + 1);
      return name;
    }
  });
}

/** `example.com-docs-install` */
function stemOf(target: URL | undefined): string {
  const text = target ? `${target.host}${decoded(target.pathname)}` : "";
  const safe = text
    .replace(/[^\p{L}\p{N}_.-]+/gu, "-")
    .replace(/^[.-]+/, "")
    .slice(0, lengthMax)
    .replace(/[.-]+$/, "");
  return safe.toWellFormed() || "document";
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
