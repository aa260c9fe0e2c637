/** Limits on the parts of a multipart form, checked before it is parsed. */

/** Maximum number of parts; parsing more would block the event loop. */
const partsMax = 500;
/** Limits on a part's headers: bytes, enough for a file name of 255 characters, each of them escaped, and lines, which take the parser time. */
const headersMax = 8 * 1024;
const headerLinesMax = 20;

export const notMultipart = "The body is not a multipart form.";

/**
 * The boundary in a `Content-Type`; undefined if there is none, or if it has characters or a length that RFC 2046, 5.1.1, doesn't allow.
 * Searching a body for a long boundary would take time proportional to the product of the two lengths.
 */
export function boundaryOf(type: string): string | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(type) ?? [];
  const boundary = quoted ?? plain ?? "";
  return /^[\w'()+,./:=? -]{1,70}$/.test(boundary) ? boundary : undefined;
}

/** Returns an error message if the form exceeds a limit, or is cut off within a part's headers; otherwise undefined. */
export function partsLimitError(body: Buffer, boundary: string): string | undefined {
  const delimiter = Buffer.from(`--${boundary}`);
  let delimiters = 0;
  for (let at = body.indexOf(delimiter); at !== -1; at = body.indexOf(delimiter, at + delimiter.length)) {
    delimiters += 1;
    // Closing delimiters count too, or a body that consists only of them would be searched to its end. The parser stops at the first one,
    // unless it is within a part's headers.
    if (delimiters > partsMax + 1) return `The form has more than ${partsMax} parts.`;
    const head = body.subarray(at + delimiter.length, at + delimiter.length + headersMax);
    if (head.toString("latin1", 0, 2) === "--") continue; // closing delimiter
    const end = head.indexOf("\r\n\r\n");
    if (end === -1 && head.length < headersMax) return notMultipart;
    const lines = head.toString("latin1", 0, end).split("\r\n", headerLinesMax + 2).length - 1;
    if (end === -1 || lines > headerLinesMax)
      return `The form has a part with more than ${headersMax} bytes or ${headerLinesMax} lines of headers.`;
  }
  return undefined;
}
