/** Every header that an answer may carry. CORS, the OpenAPI description and docs/headers.md come from this table; tests hold answers against it. */

/** Answers by what they carry; the text is their heading in the documents. */
export const answerKinds = {
  any: "Every answer",
  capture: "Requests for captures whose key is known, errors included",
  screenshot: "Captures that succeeded",
  image: "Answers with an image",
  retry: "Errors with status 429 or 503",
  method: "Errors with status 405",
  public: "Paths under /v1/screenshots",
  preflight: "CORS preflights, OPTIONS",
  management: "Paths under /v1/auth, /v1/account and /v1/admin",
  documents: "The root and the pages under /docs",
  message: "Every answer, as HTTP itself needs it",
};

export type AnswerKind = keyof typeof answerKinds;

export interface AnswerHeader {
  description: string;
  on: AnswerKind[];
  type: "string" | "integer";
  /** Whether scripts of other origins may read it: named in `Access-Control-Expose-Headers`. */
  exposed: boolean;
}

function header(on: AnswerKind[], description: string, type: AnswerHeader["type"] = "string"): AnswerHeader {
  return { description, on, type, exposed: false };
}

function exposed(on: AnswerKind[], description: string, type: AnswerHeader["type"] = "string"): AnswerHeader {
  return { description, on, type, exposed: true };
}

export const answerHeaders: Record<string, AnswerHeader> = {
  "X-Request-Id": exposed(["any"], "Id of the request, as in the logs."),
  "Cache-Control": header(
    ["any"],
    "How long the answer may be cached. `private`, so by the caller's own browser alone, for requests with secrets and for keys that are bound to domains.",
  ),
  "X-RateLimit-Limit": exposed(["capture"], "Requests per minute that the key may make.", "integer"),
  "X-RateLimit-Remaining": exposed(["capture"], "Requests left in the current minute.", "integer"),
  "X-RateLimit-Reset": exposed(["capture"], "When the current minute ends, in Unix seconds.", "integer"),
  "X-Cache": exposed(
    ["screenshot"],
    "`HIT`: stored earlier; `MISS`: captured now; `COALESCED`: captured now for another, identical request.",
  ),
  Age: exposed(["screenshot"], "Seconds since a stored screenshot was captured; only with `X-Cache: HIT`.", "integer"),
  "X-Target-Status": exposed(["screenshot"], "HTTP status of the page.", "integer"),
  "X-Target-Url": exposed(["screenshot"], "Address of the page after redirects."),
  "X-Warnings": exposed(["screenshot"], "What was cut, ignored or repaired."),
  "Server-Timing": exposed(["screenshot"], "Milliseconds of each phase of the capture, and how its wait ended: `ready` or `timeout`."),
  ETag: exposed(["screenshot", "image", "documents"], "Hash of the image, for `If-None-Match`."),
  "Content-Disposition": exposed(["image"], "File name of the image; an attachment with `attachment_name`."),
  "Retry-After": exposed(["retry"], "Seconds after which to try again.", "integer"),
  Allow: header(["method"], "Methods that the address takes."),
  "Access-Control-Allow-Origin": header(["public", "preflight"], "`*`: scripts of every origin may read the answer."),
  "Access-Control-Expose-Headers": header(["public", "preflight"], "Headers that they may read."),
  "Access-Control-Allow-Methods": header(["preflight"], "Methods that they may use."),
  "Access-Control-Allow-Headers": header(["preflight"], "Headers that they may send."),
  "Access-Control-Max-Age": header(["preflight"], "Seconds for which the browser may remember the preflight.", "integer"),
  Vary: header(["preflight", "documents"], "Request headers that the answer depends on."),
  "Cross-Origin-Resource-Policy": header(["public"], "`cross-origin`: pages of every origin may show the image."),
  "X-Robots-Tag": header(["public", "management"], "`noindex`: not for search engines."),
  "X-Content-Type-Options": header(["public", "management"], "`nosniff`: the content is what `Content-Type` says."),
  "Set-Cookie": header(["management"], "The session, when it begins, is renewed or ends."),
  Location: header(["management", "documents"], "Where the browser goes next."),
  "Content-Security-Policy": header(["documents"], "What the pages may load."),
  "Last-Modified": header(["documents"], "When the file changed."),
  "Accept-Ranges": header(["documents"], "Whether parts of the file can be requested."),
  "Content-Type": header(["message"], "Type of the body."),
  "Content-Length": header(["message"], "Length of the body in bytes.", "integer"),
  "Transfer-Encoding": header(["message"], "How the body is sent where its length is not known."),
  Date: header(["message"], "When the answer was sent."),
  Connection: header(["message"], "Whether the connection stays open."),
  "Keep-Alive": header(["message"], "Seconds for which an idle connection stays open."),
};

/** For `Access-Control-Expose-Headers`. */
export const exposedHeaders: string[] = Object.keys(answerHeaders).filter((name) => answerHeaders[name]?.exposed);

/** Names of the headers of these answers. */
export function headersOn(...kinds: AnswerKind[]): string[] {
  return Object.keys(answerHeaders).filter((name) => answerHeaders[name]?.on.some((kind) => kinds.includes(kind)));
}
