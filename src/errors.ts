/** Every failure that a caller can meet: its code, status, public words and whether trying again may help. */

export interface Failure {
  status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 414 | 415 | 429 | 431 | 500 | 503;
  message: string;
  retryable: boolean;
  /** When it is `retryable`, where that depends on what happened; for the documents. */
  retryableWhen?: string;
  /** Met by people who are signed in only, never by whoever asks for a picture. */
  management?: true;
}

/** `docs/errors.md` and the OpenAPI description are generated from this table. */
export const failures = {
  invalid_parameters: { status: 400, message: "The request has invalid parameters.", retryable: false },
  invalid_url: { status: 400, message: "The url cannot be captured: it must be an absolute http or https address.", retryable: false },
  target_blocked: { status: 400, message: "The target's address may not be captured from here.", retryable: false },
  name_not_resolved: { status: 400, message: "The target's host name does not resolve to a public address.", retryable: true },
  connection_failed: { status: 400, message: "The target could not be reached.", retryable: true },
  tls_error: { status: 400, message: "The target's TLS certificate was not accepted.", retryable: false },
  too_many_redirects: { status: 400, message: "The target redirects too many times.", retryable: false },
  target_timeout: { status: 400, message: "The target was not ready for its picture in time.", retryable: true },
  selector_not_found: { status: 400, message: "No visible element of the page matches the selector.", retryable: false },
  host_returned_error: {
    status: 400,
    message: "The target answered with an error status.",
    retryable: false,
    retryableWhen: "after 408, 425, 429 and 5xx, but not 501",
  },
  page_crashed: { status: 400, message: "The page crashed the browser that was rendering it.", retryable: true },
  page_too_heavy: { status: 400, message: "The page uses more memory, data or events than a capture may.", retryable: false },
  not_a_page: { status: 400, message: "The target is not a page that a browser shows: it is empty or a download.", retryable: false },
  image_too_large: { status: 400, message: "The picture would be larger than what is allowed.", retryable: false },
  not_signed_in: { status: 401, message: "Nobody is signed in, or the session has ended.", retryable: false, management: true },
  invalid_credentials: { status: 401, message: "The e-mail address or the password is wrong.", retryable: false, management: true },
  invalid_api_key: { status: 403, message: "The API key is not valid.", retryable: false },
  domain_not_allowed: { status: 403, message: "The API key may not be used on this domain.", retryable: false },
  target_not_allowed: { status: 403, message: "The API key may not capture this target.", retryable: false },
  signature_invalid: { status: 403, message: "The signature is missing, wrong or expired.", retryable: false },
  origin_not_allowed: {
    status: 403,
    message: "Changes are accepted from pages of the web front end only.",
    retryable: false,
    management: true,
  },
  not_permitted: { status: 403, message: "This is for administrators only.", retryable: false, management: true },
  account_disabled: { status: 403, message: "The account is disabled.", retryable: false, management: true },
  quota_exceeded: { status: 403, message: "This month's screenshots are used up.", retryable: false },
  not_found: { status: 404, message: "There is nothing at this address.", retryable: false },
  method_not_allowed: { status: 405, message: "This address does not answer to this method.", retryable: false },
  request_timeout: { status: 408, message: "The request did not arrive in time.", retryable: true },
  changed_meanwhile: {
    status: 409,
    message: "It was changed by somebody else meanwhile: read it again first.",
    retryable: false,
    management: true,
  },
  not_possible: { status: 409, message: "The present state does not allow this.", retryable: false, management: true },
  key_limit_reached: { status: 409, message: "The account has as many keys as its plan allows.", retryable: false, management: true },
  email_taken: { status: 409, message: "There is an account with this e-mail address already.", retryable: false, management: true },
  payload_too_large: { status: 413, message: "The request's body is too large.", retryable: false },
  uri_too_long: { status: 414, message: "The request's address is too long.", retryable: false },
  unsupported_media_type: { status: 415, message: "The request's body is of a type that is not read here.", retryable: false },
  rate_limited: { status: 429, message: "Too many requests in the current minute.", retryable: true },
  queue_full: { status: 429, message: "Every browser is busy and the queue is full.", retryable: true },
  headers_too_large: { status: 431, message: "The request's address and headers are too long.", retryable: false },
  internal_error: { status: 500, message: "Something went wrong on our side.", retryable: true },
  unavailable: { status: 503, message: "The service cannot answer right now.", retryable: true },
} as const satisfies Record<string, Failure>;

export type FailureCode = keyof typeof failures;

/** One wrong parameter of a request: what was wrong with it and what would be right. */
export interface ParameterProblem {
  parameter: string;
  message: string;
  allowed?: string;
}

interface AppErrorOptions {
  /** Public words that say more than the table's; never names of hosts, files or queries of the inside. */
  message?: string;
  /** Without a `message` these are the words. */
  details?: ParameterProblem[];
  /** Where it depends on what happened; otherwise the table's. */
  retryable?: boolean;
  /** Seconds after which trying again makes sense; becomes `Retry-After`. */
  retryAfterSeconds?: number;
  /** What happened inside; logged, never shown. */
  cause?: unknown;
}

/** A failure that was foreseen. Anything else that is thrown is a bug and is answered with `internal_error`. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: FailureCode;
  readonly status: number;
  readonly retryable: boolean;
  readonly details: ParameterProblem[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: FailureCode, options: AppErrorOptions = {}) {
    super(options.message ?? sentenceOf(options.details) ?? failures[code].message, { cause: options.cause });
    this.code = code;
    this.status = failures[code].status;
    this.retryable = options.retryable ?? failures[code].retryable;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

function sentenceOf(details: ParameterProblem[] | undefined): string | undefined {
  return details && `${details.map(({ message }) => message).join("; ")}.`;
}

/** The caller closed the connection; there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

/** Why a recorded screenshot has no image, where no caller received an error. */
export const unansweredFailures = {
  client_gone: "The caller closed the connection before the screenshot was finished.",
  abandoned: "The capture was not finished in time: the service was stopped, or lost its database.",
};

/** The code under which a failed capture is recorded. */
export function recordedCode(error: unknown): FailureCode | keyof typeof unansweredFailures {
  if (error instanceof AppError) return error.code;
  return error instanceof ClientGone ? "client_gone" : "internal_error";
}
