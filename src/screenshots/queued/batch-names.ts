/** Gives the captures in a batch unique names that are safe for file systems. Pure. */

/** Maximum length in UTF-8 bytes; a Chinese character takes three. File systems allow 255 bytes, including the extension. */
const bytesMax = 150;

/**
 * @param given names chosen by the caller, without duplicates. @param targets the URL of each capture.
 * @param earlier similar names already used in the batch.
 */
export function namesOfBatch(given: (string | undefined)[], targets: URL[], earlier: string[] = []): string[] {
  const taken = new Set([...earlier, ...given].flatMap((name) => name?.toLowerCase() ?? []));
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

/** The default name of a capture, such as `example.com-docs-install`. `namesOfBatch` adds a number if the batch already has that name. */
export function stemOf(target: URL | undefined): string {
  const text = target ? `${target.host}${decoded(target.pathname)}` : "";
  const safe = text
    .slice(0, 2 * bytesMax) // normalizing takes time that grows with the square of the number of accents on one letter
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}_.-]+/gu, "-")
    .replace(/^[.-]+/, "");
  return cut(safe).replace(/(?<![.-])[.-]+$/, "") || "document";
}

function cut(text: string): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytesMax));
  return text.slice(0, read);
}

/** Undoes percent-encoding; returns malformed text unchanged. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
