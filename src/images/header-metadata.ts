/** Makes any text fit for the metadata headers of a stored object. Pure. */

/** AWS refuses objects with more than 2 KB of names and values together. */
const metadataBytesMax = 1_800;

/**
 * Names become lower-case letters, digits and hyphens; values percent-encoded ASCII (`decodeURI` reads them).
 * Spaces are encoded too: servers disagree on how runs of them are signed. What exceeds the room is cut, later entries first.
 */
export function headerMetadata(metadata: Record<string, string>): Record<string, string> {
  const headers: Record<string, string> = {};
  let room = metadataBytesMax;
  for (const [name, value] of Object.entries(metadata)) {
    const header = name.toLowerCase().replace(/[^a-z0-9-]/g, "-");
    const encoded = cutBetweenCharacters(encodeURI(value.toWellFormed()), room - header.length);
    if (encoded === "") continue;
    headers[header] = encoded;
    room -= header.length + encoded.length;
  }
  return headers;
}

/** Cuts percent-encoded text so that what remains still decodes. */
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
