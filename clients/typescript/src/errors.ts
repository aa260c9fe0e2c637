/** The error of every call. */

import type { ErrorAnswer } from "./api.generated.ts";

/** Codes for errors that the service can't report itself. */
type ClientCode = "unreachable" | "timeout" | "unexpected_answer";

interface Facts {
  code: ErrorAnswer["code"] | ClientCode;
  /** Status of the response; 0 if there was none. */
  status: number;
  retryable: boolean;
  requestId?: string | undefined;
  details?: ErrorAnswer["details"] | undefined;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

/** The service refused a request, or could not be reached. */
export class TintypeError extends Error {
  override readonly name = "TintypeError";
  /** A code from docs/errors.md, or `unreachable`, `timeout`, `unexpected_answer`. */
  readonly code: Facts["code"];
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** Also appears in the service's log. */
  readonly requestId: string | undefined;
  /** Invalid parameters, with what is allowed. */
  readonly details: NonNullable<ErrorAnswer["details"]>;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, facts: Facts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.status = facts.status;
    this.retryable = facts.retryable;
    this.requestId = facts.requestId;
    this.details = facts.details ?? [];
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }
}

/** The error for a response that is not a success; reads its body. */
export async function errorOf(response: Response): Promise<TintypeError> {
  const { status, headers } = response;
  const read: unknown = isJson(headers) ? await response.json().catch(() => undefined) : undefined;
  const body = (typeof read === "object" && read !== null ? read : {}) as Partial<ErrorAnswer>;
  await response.body?.cancel().catch(() => {}); // an unread body would keep its connection open
  return new TintypeError(textOf(body.message) ?? `The service answered with status ${status}.`, {
    code:
      (textOf(body.code) as ErrorAnswer["code"]) ?? ((headers.get("x-error-code") as ErrorAnswer["code"] | null) || "unexpected_answer"),
    status,
    retryable: typeof body.retryable === "boolean" ? body.retryable : status === 429 || status >= 502,
    requestId: textOf(body.requestId) ?? headers.get("x-request-id") ?? undefined,
    details: Array.isArray(body.details) ? body.details : [],
    retryAfterSeconds: secondsUntil(headers.get("retry-after") ?? ""),
  });
}

/** Intermediaries may send members of other types. */
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** Parses `Retry-After`: seconds, or an HTTP date. */
function secondsUntil(text: string): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const at = /GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

/** Redirects are not followed, because `fetch` would turn a `POST` into a `GET`. Browsers don't reveal where they lead. */
export function redirected(url: string, { status, headers }: Response): TintypeError {
  const message = `${url} redirects to ${headers.get("location") ?? "another address"}: give that one instead.`;
  return new TintypeError(message, { code: "unexpected_answer", status, retryable: false });
}

/** The error for a successful response that Tintype never sends, such as a proxy's sign-in page. */
export function unexpected(url: string, status: number): TintypeError {
  const message = `${url} is not a Tintype service, or something between changes its answers: what came is not what Tintype sends.`;
  return new TintypeError(message, { code: "unexpected_answer", status, retryable: false });
}

export function isJson(headers: Headers): boolean {
  return /^application\/json\b/.test(headers.get("content-type") ?? "");
}

/** Error codes of connections that may succeed later. */
const temporary = /^(ECONN|EPIPE$|ETIMEDOUT$|EAI_AGAIN$|ENETDOWN$|ENETUNREACH$|EHOSTUNREACH$|UND_ERR_)/;

/** The same in Deno, where causes have no code. */
const temporaryInDeno = /client error \((SendRequest|Connect\): (tcp|dns))/;

/** In Node and Deno, the reason is the cause of `fetch`'s error; browsers don't give one. */
export function unreachable(url: string, error: unknown): TintypeError {
  const { cause, message: outer } = error as { cause?: { message?: string; code?: string }; message?: string };
  const { message = "", code = "" } = cause ?? { message: outer };
  const retryable = cause === undefined || temporary.test(code) || temporaryInDeno.test(message);
  return new TintypeError(`${url} can't be reached: ${message || code}.`, { code: "unreachable", status: 0, retryable, cause: error });
}

export function timedOut(timeoutMs: number, cause?: unknown): TintypeError {
  return new TintypeError(`No answer within ${timeoutMs / 1000} s.`, { code: "timeout", status: 0, retryable: true, cause });
}
