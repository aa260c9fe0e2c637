/** Describes why an attempt failed, in a sentence for the account's owner. */

import { AppError } from "../shared/errors.ts";
import type { ReceiverResponse } from "./post.ts";

/** Describes why a response counts as a failure; returns undefined if the webhook was accepted. */
export function responseFailure({ status, headers }: ReceiverResponse): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 410) return "The receiver responded with 410 Gone: it doesn't want any more webhooks.";
  if (status < 300 || status >= 400) return `The receiver responded with status ${status}; only 200 to 299 count as success.`;
  const target = headers.location === undefined ? "" : ` to ${headers.location}`;
  return `The receiver responded with a redirect (${status})${target}, which is not followed: use the final URL.`;
}

/** Describes an error that prevented a response. @param timeout the attempt's deadline. */
export function requestFailure(error: unknown, timeout: AbortSignal): string {
  if (timeout.aborted) return "There was no response within 10 seconds.";
  if (error instanceof AppError) return reachMessages[error.code] ?? error.message;
  const { code = "", message } = error as { code?: unknown; message: string };
  const name = String(code);
  if (name.startsWith("HPE_")) return "The response is not valid HTTP.";
  if (/^(ERR_SSL|EPROTO)/.test(name)) return "The TLS handshake failed: the server may not use TLS on this port.";
  if (/CERT|SIGNATURE|^ERR_TLS|ISSUER/.test(name)) return `The server's TLS certificate was not accepted: ${sentenceOf(message)}.`;
  return "The connection was closed before a response was received.";
}

/** Messages that replace those of the error table, which are about pages. */
const reachMessages: Partial<Record<AppError["code"], string>> = {
  target_blocked: "The address is blocked: it is private, or belongs to this service.",
  name_not_resolved: "The host name does not resolve to a public address.",
};

/** Strips Node's advice to operators after a semicolon, and the full stop. */
const sentenceOf = (message: string): string => message.replace(/;.*/s, "").replace(/\.$/, "");
