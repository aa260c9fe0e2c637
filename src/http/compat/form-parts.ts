/** Limits on a multipart form's parts, checked before the form is parsed. Pure. */

/** Maximum number of parts; parsing more would block the event loop. */
const partsMax = 500;
/** Maximum total size of a part's headers, in bytes. Enough for a file name of 255 characters, each of them escaped. */
const headersMax = 8 * 1024;

const notMultipart = "The body is not a multipart form.";

/** Returns an error message if the form exceeds a limit, otherwise undefined. @param type the request's `Content-Type`. */
export function partsLimitError(body: Buffer, type: string): string | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return notMultipart;
  const delimiter = Buffer.from(`--${boundary}`);
  let parts = 0;
  for (let at = body.indexOf(delimiter); at !== -1; at = body.indexOf(delimiter, at + delimiter.length)) {
    const start = at + delimiter.length;
    if (body.subarray(start, start + 2).toString() === "--") return undefined; // closing delimiter
    parts += 1;
    if (parts > partsMax) return `The form has more than ${partsMax} parts.`;
    const head = body.subarray(start, start + headersMax);
    if (head.includes("\r\n\r\n")) continue;
    return head.length < headersMax ? notMultipart : `The form has a part with more than ${headersMax} bytes of headers.`;
  }
  return undefined;
}
