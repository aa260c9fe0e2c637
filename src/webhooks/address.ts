/** Validates a webhook's address before it is stored. */

import { AppError, wrongParameter } from "../shared/errors.ts";

/**
 * Validates a URL and returns it in the form to store and send to, without a fragment. Resolves the host, but doesn't connect.
 * @param parameter name of the request's parameter, for the message.
 * @throws {AppError} `invalid_parameters`, stating the problem and the valid values; the signal's reason if it aborts.
 */
export type AssertWebhookUrl = (text: string, signal: AbortSignal, parameter?: string) => Promise<string>;

interface Rules {
  /** Resolves a host and decides whether it may be reached. @throws {AppError} `target_blocked` or `name_not_resolved`. */
  vetTarget: (url: URL, signal: AbortSignal) => Promise<void>;
  /** `WEBHOOK_ALLOW_HTTP`. */
  allowHttp: boolean;
}

const lengthMax = 2048;

export function createAddressCheck({ vetTarget, allowHttp }: Rules): AssertWebhookUrl {
  const allowed = `${allowHttp ? "an http or https" : "an https"} URL of a public server, at most ${lengthMax} characters`;
  return async (text, signal, parameter = "webhook_url") => {
    const refuse = (problem: string) => wrongParameter(parameter, problem, allowed);
    const url = URL.parse(text);
    if (!url) throw refuse("must be an absolute URL");
    if (url.protocol !== "https:" && !(allowHttp && url.protocol === "http:"))
      throw refuse(`must be ${allowHttp ? "http or https" : "https"}`);
    if (url.username !== "" || url.password !== "")
      throw refuse("must not contain a user name or password; the signature proves the sender");
    url.hash = "";
    if (url.href.length > lengthMax) throw refuse(`must have at most ${lengthMax} characters`);
    try {
      await vetTarget(url, signal);
    } catch (error) {
      const message = error instanceof AppError ? vetMessages[error.code] : undefined;
      throw message === undefined ? error : refuse(message);
    }
    return url.href;
  };
}

const vetMessages: Partial<Record<AppError["code"], string>> = {
  target_blocked: "resolves to an address or port that is not allowed: it is private, belongs to this service, or its port is blocked",
  name_not_resolved: "has a host name that does not resolve to a public address",
};
