/** Builds the `Content-Disposition` header from `attachment_name`. */

import { create } from "content-disposition";
import { extensions, type Format } from "../../shared/formats.ts";

/** Follows RFC 6266, and adds the format's extension if it is missing. A non-ASCII name is also sent in RFC 8187 encoding. */
export function attachment(attachmentName: string, format: Format): string {
  const extension = `.${extensions[format]}`;
  const name = plainName(attachmentName);
  const complete = name.toLowerCase().endsWith(extension) || (format === "jpeg" && /\.jpeg$/i.test(name));
  return create(complete ? name : name + extension);
}

/** Replaces what file systems and headers reject: separators, control and bidirectional characters, lone surrogates. */
function plainName(text: string): string {
  const name = text.toWellFormed().replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufffd\\/:*?"<>|]/gu, "_");
  return name.replace(/^\.+/, "_").trim() || "screenshot";
}
