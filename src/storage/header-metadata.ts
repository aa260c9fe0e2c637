/** Encodes text for the metadata headers of an S3 object. Pure. */

/** AWS accepts at most 2 KB of names and values per object. */
const metadataBytesMax = 1_800;

/**
 * Names become lower-case letters, digits and hyphens; values become percent-encoded ASCII (decode with `decodeURI`).
 * Spaces are encoded too, because servers disagree on how to sign consecutive spaces. Values are cut at the limit, the last entries first.
 */
export function headerMetadata(metadata: Record<string, string>): Record<string, string> {
  const headers: Record<string, string> = {};
  let bytesLeft = metadataBytesMax;
  for (const [name, value] of Object.entries(metadata)) {
    const header = name.toLowerCase().replace(/[^a-z0-9-]/g, "-");
    const encoded = cutBetweenCharacters(encodeURI(value.toWellFormed()), bytesLeft - header.length);
    if (encoded === "") continue;
    headers[header] = encoded;
    bytesLeft -= header.length + encoded.length;
  }
  return headers;
}

/** Cuts percent-encoded text to at most `lengthMax` characters, never within an encoded character. */
function cutBetweenCharacters(encoded: string, lengthMax: number): string {
  if (encoded.length <= lengthMax) return encoded;
  let cut = encoded.slice(0, Math.max(0, lengthMax)).replace(/%.?$/, "");
  while (cut !== "" && !decodes(cut)) cut = cut.replace(/%..$/, "");
  return cut;
}

function decodes(encoded: string): boolean {
  try {
    decodeURI(encoded);
    return true;
  } catch {
    return false;
  }
}
