/** Every API error: its code, HTTP status and message, and whether a retry may succeed. */

export interface Failure {
  status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 414 | 415 | 429 | 431 | 500 | 503;
  message: string;
  retryable: boolean;
  /** Shown in the documentation if `retryable` depends on the case. */
  retryableWhen?: string;
  /** Returned only by the management API, including the playground; never for requests with an API key. */
  management?: true;
}

const unlessProxyRefuses = "unless the proxy's address is blocked or does not resolve, or the proxy refused the user name and password";
const afterSomeStatuses = "after 408, 425, 429 and 5xx, but not 501";
const unlessStoring = "unless the screenshot is still being stored";

/** `docs/errors.md` and the OpenAPI description are generated from this table. */
export const failures = {
  invalid_parameters: { status: 400, message: "The request has invalid parameters.", retryable: false },
  invalid_url: { status: 400, message: "url must be an absolute http or https URL.", retryable: false },
  target_blocked: { status: 400, message: "The target's address is blocked.", retryable: false },
  name_not_resolved: { status: 400, message: "The target's host name does not resolve to a public address.", retryable: true },
  connection_failed: { status: 400, message: "The target could not be reached.", retryable: true },
  proxy_failed: { status: 400, message: "The capture's proxy failed.", retryable: true, retryableWhen: unlessProxyRefuses },
  tls_error: { status: 400, message: "The target's TLS certificate was not accepted.", retryable: false },
  too_many_redirects: { status: 400, message: "The target redirects too many times.", retryable: false },
  target_timeout: { status: 400, message: "The target was not ready in time.", retryable: true },
  selector_not_found: { status: 400, message: "No visible element on the page matches the selector.", retryable: false },
  host_returned_error: { status: 400, message: "The target returned an error status.", retryable: false, retryableWhen: afterSomeStatuses },
  unwanted_page: { status: 400, message: "The page is not what was requested.", retryable: true },
  sign_in_failed: { status: 400, message: "The session could not sign in.", retryable: false },
  page_crashed: { status: 400, message: "The page crashed the browser that was rendering it.", retryable: true },
  page_too_heavy: { status: 400, message: "The page exceeds the memory, data or event limit of a capture.", retryable: false },
  not_a_page: { status: 400, message: "The target is not a web page: it is empty or a download.", retryable: false },
  image_too_large: { status: 400, message: "The image would exceed the size limit.", retryable: false },
  document_too_large: { status: 400, message: "The document would exceed the size limit.", retryable: false },
  codec_unavailable: { status: 400, message: "The service's browser can't encode this video format.", retryable: false },
  not_signed_in: { status: 401, message: "You are not signed in, or your session has ended.", retryable: false, management: true },
  invalid_credentials: { status: 401, message: "Wrong e-mail address or password.", retryable: false, management: true },
  sign_in_expired: {
    status: 401,
    message: "The sign-in took too long, or too many wrong codes were entered. Start over.",
    retryable: false,
    management: true,
  },
  invalid_api_key: {
    status: 403,
    message: "The API key is not valid. Valid keys are listed in the dashboard under API keys.",
    retryable: false,
  },
  domain_not_allowed: { status: 403, message: "The API key is not allowed on this domain.", retryable: false },
  target_not_allowed: { status: 403, message: "The API key is not allowed to capture this target.", retryable: false },
  proxy_not_allowed: { status: 403, message: "The account may not use this proxy.", retryable: false },
  signature_invalid: { status: 403, message: "The signature is missing, wrong or expired.", retryable: false },
  origin_not_allowed: {
    status: 403,
    message: "Changes are accepted only from the dashboard's origin.",
    retryable: false,
    management: true,
  },
  not_permitted: { status: 403, message: "Administrators only.", retryable: false, management: true },
  account_disabled: { status: 403, message: "The account is disabled.", retryable: false, management: true },
  sign_up_refused: { status: 403, message: "Sign-up is closed, or by invitation only.", retryable: false, management: true },
  invitation_invalid: {
    status: 403,
    message: "The invitation has been used or revoked, has expired, or is for another e-mail address. Ask for a new one.",
    retryable: false,
    management: true,
  },
  email_not_verified: {
    status: 403,
    message: "Confirm your e-mail address first: open the link that we just sent you.",
    retryable: false,
    management: true,
  },
  link_invalid: {
    status: 403,
    message: "The link is incomplete, has already been used, or has expired. Ask for a new one.",
    retryable: false,
    management: true,
  },
  second_factor_required: {
    status: 403,
    message: "This service requires a second factor: set one up in the settings.",
    retryable: false,
    management: true,
  },
  quota_exceeded: { status: 403, message: "The monthly quota is used up.", retryable: false },
  not_found: { status: 404, message: "Not found.", retryable: false },
  method_not_allowed: { status: 405, message: "Method not allowed for this path.", retryable: false },
  request_timeout: { status: 408, message: "The request did not arrive in time.", retryable: true },
  capture_begun: { status: 409, message: "The capture has started, so it can't be canceled.", retryable: false },
  idempotency_key_reused: {
    status: 409,
    message: "A different request with this Idempotency-Key was sent within the last 24 hours.",
    retryable: false,
  },
  watch_limit_reached: { status: 409, message: "The account has reached its limit of watches.", retryable: false },
  session_limit_reached: { status: 409, message: "The account has reached its limit of sessions.", retryable: false },
  destination_limit_reached: { status: 409, message: "The account has reached its limit of destinations.", retryable: false },
  changed_meanwhile: {
    status: 409,
    message: "The record has changed since you read it: read it again first.",
    retryable: false,
    management: true,
  },
  not_possible: { status: 409, message: "Not possible in the current state.", retryable: false, management: true },
  key_limit_reached: { status: 409, message: "The account has reached the key limit of its plan.", retryable: false, management: true },
  email_taken: { status: 409, message: "An account with this e-mail address already exists.", retryable: false, management: true },
  payload_too_large: { status: 413, message: "The request body is too large.", retryable: false },
  uri_too_long: { status: 414, message: "The request URL is too long.", retryable: false },
  unsupported_media_type: { status: 415, message: "The type of the request body is not supported.", retryable: false },
  rate_limited: { status: 429, message: "Too many requests. Try again later.", retryable: true, retryableWhen: unlessStoring },
  queue_full: { status: 429, message: "All browsers are busy and the queue is full.", retryable: true },
  headers_too_large: { status: 431, message: "The request URL and headers are too long.", retryable: false },
  internal_error: { status: 500, message: "Internal server error.", retryable: true },
  unavailable: { status: 503, message: "The service is temporarily unavailable.", retryable: true },
} as const satisfies Record<string, Failure>;

export type FailureCode = keyof typeof failures;

/** Maximum number of problems listed in an error: a 64 KB body can cause thousands, and the response would be many times larger. */
export const problemsMax = 20;
export const problemsFoundMax = problemsMax + 1; // the last one, which isn't listed, tells that there are more

/** An invalid parameter: what is wrong, and what is allowed. */
export interface ParameterProblem {
  parameter: string;
  message: string;
  allowed?: string;
}

interface AppErrorOptions {
  /** Replaces the table's message. Public: must not contain internal hosts, files or queries. */
  message?: string;
  /** Joined into the message if there is no `message`. */
  details?: ParameterProblem[];
  /** Replaces the table's value. */
  retryable?: boolean;
  /** Sent as `Retry-After`. */
  retryAfterSeconds?: number | undefined;
  /** Id of a screenshot that was captured but can't be delivered now; sent as `X-Screenshot-Id`. */
  screenshotId?: string | undefined;
  /** Whether the error was thrown before the capture was recorded. */
  isUnrecorded?: boolean;
  /** Logged, never sent. */
  cause?: unknown;
}

/** An expected failure. Anything else is a bug and becomes `internal_error`, except `ClientGone` and Fastify's own client errors. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: FailureCode;
  readonly status: number;
  readonly retryable: boolean;
  readonly details: ParameterProblem[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly screenshotId: string | undefined;
  readonly isUnrecorded: boolean;
  /** Record of the capture up to the failure, as JSON; public. */
  explanation: object | undefined;

  constructor(code: FailureCode, options: AppErrorOptions = {}) {
    super(options.message ?? sentenceOf(options.details) ?? failures[code].message, { cause: options.cause });
    this.code = code;
    this.status = failures[code].status;
    this.retryable = options.retryable ?? failures[code].retryable;
    this.details = options.details?.slice(0, problemsFoundMax);
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.screenshotId = options.screenshotId;
    this.isUnrecorded = options.isUnrecorded ?? false;
  }
}

/** Whether `error` is the failure with this code. */
export function isFailure(error: unknown, code: FailureCode): error is AppError {
  return error instanceof AppError && error.code === code;
}

/** @throws {AppError} `not_found` if `found` is null or undefined. */
export function existing<T>(found: T | null | undefined): T {
  if (found === null || found === undefined) throw new AppError("not_found");
  return found;
}

/** @param problem continues a sentence that begins with the parameter's name. @param allowed describes the valid values. */
export function wrongParameter(parameter: string, problem: string, allowed?: string): AppError {
  const message = `${parameter} ${problem}`;
  const details = [allowed === undefined ? { parameter, message } : { parameter, message, allowed }];
  return new AppError("invalid_parameters", { details });
}

function sentenceOf(details: ParameterProblem[] = []): string | undefined {
  const messages = details.slice(0, problemsMax).map(({ message }) => message);
  if (details.length > problemsMax) messages.push(`only the first ${problemsMax} problems are listed`);
  return messages.length === 0 ? undefined : `${messages.join("; ")}.`;
}

/** The caller closed the connection, or the result is not wanted for another reason: no response is sent. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

/** Reasons why a recorded screenshot has no image although no caller received an error. */
export const unansweredFailures = {
  client_gone: "The caller closed the connection before the capture finished.",
  abandoned: "The capture did not finish: the service was stopped, or lost its connection to the database.",
};

/** The code under which a failed capture is recorded. */
export function recordedCode(error: unknown): FailureCode | keyof typeof unansweredFailures {
  if (error instanceof AppError) return error.code;
  return error instanceof ClientGone ? "client_gone" : "internal_error";
}

/** The user-facing message for the code of a recorded failure. */
export function failureMessage(code: string): string {
  if (Object.hasOwn(failures, code)) return failures[code as FailureCode].message;
  return unansweredFailures[code as keyof typeof unansweredFailures] ?? unansweredFailures.abandoned;
}
