/** The tools' calls to the service's API, and the errors that a model reads. */

import type { z } from "zod";
import { parseUrl } from "../shared/urls.ts";
import { cut, inLine, quoted } from "./text.ts";

export interface ApiAnswer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  body: Buffer;
  /** Whether the rest of the body was not read, because it has more than `bytesMax` bytes. */
  isCut?: boolean;
}

/** Default for `bytesMax`: more than an image at a size that models accept. */
export const answerBytesMax = 8 * 1024 * 1024;

/**
 * Calls the API, remotely or in this process, with the caller's key. `path` includes the query; `signal` aborts if the client cancels. At
 * most `bytesMax` bytes of the response are read.
 */
export type CallApi = (request: {
  method: "GET" | "POST" | "DELETE";
  path: string;
  body?: object;
  bytesMax?: number;
  signal?: AbortSignal;
}) => Promise<ApiAnswer>;

/** An error whose message tells the model how to proceed. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/** @param shape schema of the JSON that the tool reads. @throws {ToolError} if the call fails, or the response doesn't match `shape`. */
export async function callJson<Shape extends z.ZodType>(call: CallApi, request: Parameters<CallApi>[0], shape: Shape) {
  return readJson((await callApi(call, request)).body, shape);
}

/** Reads a file by its link. Links start with `PUBLIC_URL`, whose path, if any, is not part of the service's routes. */
export async function readFile(call: CallApi, { url }: { url?: string | null | undefined }, bytesMax?: number): Promise<ApiAnswer> {
  const { pathname = "", search = "" } = parseUrl(url ?? "") ?? {};
  const route = pathname.lastIndexOf("/v1/");
  if (route < 0) throw new ToolError("The file could not be stored. Try again.");
  return await callApi(call, { method: "GET", path: `${pathname.slice(route)}${search}`, ...(bytesMax !== undefined && { bytesMax }) });
}

/** @throws {ToolError} if the body is not JSON of this `shape`. */
export function readJson<Shape extends z.ZodType>(body: Buffer, shape: Shape): z.output<Shape> {
  try {
    return shape.parse(JSON.parse(body.toString()));
  } catch {
    throw new ToolError("The service's response can't be parsed: a proxy may have changed it. Tell the user.");
  }
}

/** @throws {ToolError} for any unsuccessful response, and for one that is longer than the default of `bytesMax`. */
export async function callApi(call: CallApi, request: Parameters<CallApi>[0]): Promise<ApiAnswer> {
  const answer = await call(request);
  if (answer.status < 300 && answer.isCut && request.bytesMax === undefined) throw new ToolError(tooLong);
  if (answer.status < 300) return answer;
  throw failedCall(failureOf(answer.body), answer);
}

const tooLong = `The response has more than ${answerBytesMax / 1024 / 1024} MB, which is too long: look at a part of the page.`;

/** Next step for the model, by error code. */
const advice: Record<string, string> = {
  target_timeout: "Try again with a simpler wait, or tell the user that the page is too slow.",
  connection_failed: "Check the address; the site may be down.",
  name_not_resolved: "Check the spelling of the host name.",
  target_blocked: "This address is not allowed; don't try others on the same network.",
  proxy_not_allowed: "The user's account may not use this country; tell the user.",
  target_not_allowed: "The key may only capture certain sites; tell the user.",
  domain_not_allowed: "The key is restricted to web pages on certain domains; the user needs a key without that restriction.",
  selector_not_found: "Look at the whole page first, then use a selector that matches something on the page.",
  image_too_large: "Look at a part of the page: replace full_page with selector or from.",
  not_a_page: "The URL is not a page that can be shown: try another one.",
  invalid_api_key: "The user has to configure a valid API key.",
  quota_exceeded: "No more screenshots are possible this month; tell the user.",
  not_found: "The id is unknown or has been deleted: use one from an earlier result.",
  signature_invalid: "The key accepts only signed requests; the user needs a key without this restriction.",
  internal_error: "Try once more; if it fails again, tell the user.",
};

const messageMax = 1_000;

/** Codes of errors whose messages quote the page's server, such as a download's name or a content type. */
const quotingCodes = ["not_a_page"];

interface Failure {
  message: string;
  code: string;
  retryable: boolean;
}

/** @param answer the response with this failure; undefined if the failure was only part of a response. */
export function failedCall({ message, code, retryable }: Failure, answer?: ApiAnswer): ToolError {
  const seconds = answer?.headers["retry-after"];
  const next = /^\d+$/.test(seconds ?? "")
    ? `Wait ${seconds} s, then try again.`
    : (advice[code] ?? (retryable ? "A later attempt may succeed." : ""));
  const ownText =
    cut(inLine(message), messageMax) || (answer ? `The service responded with status ${answer.status}.` : "There is no image.");
  const text = quotingCodes.includes(code) ? `The target can't be shown; ${quoted(message, messageMax)}` : ownText;
  return new ToolError([text, ...(code ? [`(${code})`] : []), next].join(" ").trim());
}

function failureOf(body: Buffer): Failure {
  try {
    const { message, code, retryable } = JSON.parse(body.toString());
    return { message: String(message ?? ""), code: String(code ?? ""), retryable: retryable === true };
  } catch {
    return { message: "", code: "", retryable: false };
  }
}
