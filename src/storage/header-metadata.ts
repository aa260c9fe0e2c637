/** Encodes text for the metadata headers of an S3 object. Pure. */

/** AWS accepts at most 2 KB of names and values per object. */
const metadataBytesMax = 1_800;

/**
 * Names become lower-case letters, digits and hyphens; values become percent-encoded ASCII (decode with `decodeURI`). Spaces are
 * also encoded, because servers disagree on how to sign consecutive spaces. Values are truncated at the limit, starting with the last
 * entries.
 */
export function headerMetadata(metadata: Record<string, string>): Record<string, string> {
  const headers: Record<string, string> = {};
  let bytesLeft = metadataBytesMax;
  for (const [name, value] of Object.entries(metadata)) {
    const header = name.toLowerCase().replace(/[^a-z0-9-]/g, "-");
    const content = encoded(value.toWellFormed(), bytesLeft - header.length);
    if (content === "") continue;
    headers[header] = content;
    bytesLeft -= header.length + content.length;
  }
  return headers;
}

/** Percent-encodes as many characters as fit into `lengthMax`. */
function encoded(text: string, lengthMax: number): string {
  let fitting = "";
  for (const character of text) {
    const next = fitting + encodeURI(character);
    if (next.length > lengthMax) break;
    fitting = next;
  }
  return fitting;
}
