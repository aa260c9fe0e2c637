/** Bounds of the parts of a multipart form, which is parsed within them only. Pure. */

/** Parsing many would block the process. */
const partsMax = 500;
/** Of the headers of one part, in bytes. The longest is the name of a file, of at most 255 characters, each of which may be escaped. */
const headersMax = 8 * 1024;

const notMultipart = "The body is not a multipart form.";

/** What is wrong with a form, as a sentence; undefined if nothing is. @param type its content type. */
export function partsProblem(body: Buffer, type: string): string | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return notMultipart;
  const delimiter = Buffer.from(`--${boundary}`);
  let parts = 0;
  for (let at = body.indexOf(delimiter); at !== -1; at = body.indexOf(delimiter, at + delimiter.length)) {
    const start = at + delimiter.length;
    if (body.subarray(start, start + 2).toString() === "--") return undefined; // the end
    parts += 1;
    if (parts > partsMax) return `The form has more than ${partsMax} parts.`;
    const head = body.subarray(start, start + headersMax);
    if (head.includes("\r\n\r\n")) continue;
    return head.length < headersMax ? notMultipart : `The form has a part with more than ${headersMax} bytes of headers.`;
  }
  return undefined;
}
