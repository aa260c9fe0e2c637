/** All response headers. CORS, the OpenAPI document and docs/headers.md are generated from this table; tests check responses against it. */

/** Kinds of responses. Each value is a heading in docs/headers.md. */
export const answerKinds = {
  any: "Every response",
  capture: "Capture requests with a known key, including errors",
  keyInHeader: "Capture requests with the key in a header, including errors",
  screenshot: "Successful captures",
  outputs: "Several outputs, `POST /v1/captures`",
  queued: "Created and queued resources, with status 201 or 202",
  stream: "Results and events of a batch",
  image: "Responses with an image",
  failure: "Errors",
  retry: "Errors with status 429 or 503",
  method: "Errors with status 405",
  public: "Paths under /v1/screenshots",
  preflight: "CORS preflights, OPTIONS",
  management: "Paths under /v1/auth, /v1/account and /v1/admin",
  compatible: "Successful captures on endpoints compatible with other products",
  documents: "The root and pages under /docs",
  message: "Standard HTTP headers",
};

export type AnswerKind = keyof typeof answerKinds;

export interface AnswerHeader {
  description: string;
  on: AnswerKind[];
  type: "string" | "integer";
  /** Whether `Access-Control-Expose-Headers` lists the header, so that cross-origin scripts may read it. */
  exposed: boolean;
}

function header(on: AnswerKind[], description: string, type: AnswerHeader["type"] = "string"): AnswerHeader {
  return { description, on, type, exposed: false };
}

const exposed = (...of: Parameters<typeof header>): AnswerHeader => ({ ...header(...of), exposed: true });

export const answerHeaders: Record<string, AnswerHeader> = {
  "X-Request-Id": exposed(["any"], "Id of the request; it is also in the logs."),
  "Cache-Control": header(
    ["any"],
    "How long the response may be cached. It is `private`, which limits caching to the caller's browser, if the request contains secrets, has the key in a header, uses a key that is restricted to domains, or is a `POST`.",
  ),
  "X-RateLimit-Limit": exposed(
    ["capture"],
    "Requests allowed for the key in the current window: per minute, or per `RATE_LIMIT_WINDOW_MS` if the plan has no limit of its own.",
    "integer",
  ),
  "X-RateLimit-Remaining": exposed(["capture"], "Requests left in the current window.", "integer"),
  "X-RateLimit-Reset": exposed(["capture"], "When the current window ends, in Unix seconds.", "integer"),
  "X-Cache": exposed(
    ["screenshot", "outputs"],
    "`HIT`: stored earlier; `MISS`: captured now; `COALESCED`: captured now by a concurrent identical request; `STALE`: stored earlier, returned by `stale_while_revalidate` or `stale_if_error`.",
  ),
  Age: exposed(["screenshot"], "Seconds since a stored screenshot was captured; only with `X-Cache: HIT` and `STALE`.", "integer"),
  "X-Screenshot-Id": exposed(
    ["screenshot", "retry"],
    "Id of the screenshot in the account's history; on an error, the id of a screenshot that will be listed there once it is stored.",
  ),
  "X-Target-Status": exposed(["screenshot"], "HTTP status of the page.", "integer"),
  "X-Target-Url": exposed(["screenshot"], "URL of the page after redirects."),
  "X-Verdict": exposed(["screenshot"], "What the image shows: the page (`ok`), or something in its place. See docs/verdicts.md."),
  "X-Verdict-Reason": exposed(["screenshot"], "Why the verdict is not `ok`, as human-readable text."),
  "X-Changed": exposed(["screenshot"], "With `compare_to`: whether the screenshot has changed, `true` or `false`."),
  "X-Changed-Share": exposed(
    ["screenshot"],
    "With `compare_to`: share of pixels that differ, 0 to 1, after moved content has been aligned.",
  ),
  "X-Changed-Regions": exposed(["screenshot"], "With `compare_to`: number of regions that differ, at most 100.", "integer"),
  "X-Warnings": exposed(["screenshot"], "Warnings, for example about values that were truncated, ignored or corrected."),
  "Server-Timing": exposed(
    ["screenshot"],
    "Duration of each capture phase in milliseconds, and how the wait for the page ended: `ready` or `timeout`.",
  ),
  ETag: exposed(["screenshot", "image", "documents"], "Entity tag of the image or page, for `If-None-Match`."),
  "Content-Disposition": exposed(
    ["image", "outputs"],
    "File name of the image or zip; `attachment` for a zip, or with `attachment_name` or `download`.",
  ),
  "X-Error-Code": exposed(["failure"], "Error code, the same as `code` in the JSON body; see docs/errors.md."),
  "Retry-After": exposed(["retry"], "Seconds to wait before a retry.", "integer"),
  "X-Response-Code": exposed(["compatible"], "On browserless-compatible endpoints: the same as `X-Target-Status`.", "integer"),
  "Gotenberg-Trace": exposed(["compatible"], "On Gotenberg-compatible endpoints: the value from the request, or the request id."),
  "X-Response-Status": exposed(["compatible"], "On browserless-compatible endpoints: the reason phrase of that status.", "string"),
  "X-Response-URL": exposed(["compatible"], "On browserless-compatible endpoints: the same as `X-Target-Url`."),
  Allow: header(["method"], "Methods allowed for the path."),
  "Access-Control-Allow-Origin": header(["public", "preflight"], "`*`: scripts of any origin may read the response."),
  "Access-Control-Expose-Headers": header(["public", "preflight"], "Response headers that scripts of other origins may read."),
  "Access-Control-Allow-Methods": header(["preflight"], "Methods that scripts of other origins may use."),
  "Access-Control-Allow-Headers": header(["preflight"], "Request headers that scripts of other origins may send."),
  "Access-Control-Max-Age": header(["preflight"], "Seconds for which the browser may cache the preflight.", "integer"),
  Vary: header(["keyInHeader", "preflight", "documents"], "Request headers that the response depends on."),
  "Cross-Origin-Resource-Policy": header(["public"], "`cross-origin`: pages of any origin may embed the image."),
  "X-Robots-Tag": header(["public", "management"], "`noindex`: keeps the response out of search engines."),
  "X-Content-Type-Options": header(["public", "management"], "`nosniff`: browsers must not guess the content type."),
  "Set-Cookie": header(["management"], "The session cookie, when a session starts, is renewed or ends."),
  Location: exposed(["management", "documents", "queued"], "URL of the redirect, or of the created or queued resource."),
  "Preference-Applied": exposed(["queued"], "`respond-async`, if the request preferred it."),
  "X-Accel-Buffering": header(["stream"], "`no`: proxies such as nginx don't buffer the stream."),
  "Content-Security-Policy": header(["documents"], "What the page may load."),
  "Last-Modified": header(["documents"], "When the file was last changed."),
  "Accept-Ranges": header(["documents"], "Whether range requests are supported."),
  "Content-Type": header(["message"], "Media type of the body."),
  "Content-Length": header(["message"], "Length of the body in bytes.", "integer"),
  "Transfer-Encoding": header(["message"], "Encoding of a body of unknown length."),
  Date: header(["message"], "When the response was sent."),
  Connection: header(["message"], "Whether the connection stays open."),
  "Keep-Alive": header(["message"], "Seconds for which an idle connection stays open."),
};

/** For `Access-Control-Expose-Headers`. */
export const exposedHeaders: string[] = Object.keys(answerHeaders).filter((name) => answerHeaders[name]?.exposed);

/** Header names for these kinds of responses. */
export function headersOn(...kinds: AnswerKind[]): string[] {
  return Object.keys(answerHeaders).filter((name) => answerHeaders[name]?.on.some((kind) => kinds.includes(kind)));
}
