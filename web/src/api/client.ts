/** HTTP client of the API: JSON requests and responses, errors as `ApiError`. */

export interface ErrorDetail {
  parameter: string;
  message: string;
}

/** An error response, or a failed connection; `message` is shown to the user. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: string;
  readonly status: number;
  readonly requestId: string;
  readonly details: ErrorDetail[];
  /** The response's body if it is an image, as with `error_image`. */
  readonly image: Blob | undefined;

  constructor(message: string, { code, status = 0, requestId = "", details = [], image }: Partial<ApiError> & { code: string }) {
    super(message);
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.details = details;
    this.image = image;
  }
}

interface Request {
  method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  body?: unknown;
  idempotencyKey?: string;
  signal?: AbortSignal | undefined;
}

/**
 * Resolves with the response if it is successful.
 * @throws {ApiError} for error responses, and with the code `unreachable` if the connection fails.
 */
export async function send(path: string, { method = "GET", body, idempotencyKey, signal }: Request = {}): Promise<Response> {
  const headers = {
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
  };
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError("The service is unreachable. Check your connection.", { code: "unreachable" });
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** The parsed JSON response. @throws {ApiError} */
export async function call<Result>(path: string, request?: Request): Promise<Result> {
  const response = await send(path, request);
  return (response.status === 204 ? undefined : await response.json()) as Result;
}

async function errorOf(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  if (headers.get("content-type")?.startsWith("image/")) {
    const code = headers.get("x-error-code") ?? "unknown";
    return new ApiError(`The screenshot failed: ${code}.`, { code, status, image: await response.blob() });
  }
  try {
    const { message, code, requestId, details } = await response.json();
    return new ApiError(String(message), { code, status, requestId, details: details ?? [] });
  } catch {
    return new ApiError(`The service responded with status ${status}.`, { code: "unknown", status });
  }
}
