/** Checks which sessions, proxies and targets a capture may use for its caller. */

import type { Caller } from "../../accounts/keys/caller.ts";
import { mayCapture } from "../../accounts/keys/restrictions.ts";
import type { PageSessions } from "../../accounts/sessions/page-sessions.ts";
import type { CaptureRequest } from "../../capture/request.ts";
import type { Proxies, ProxyOptions } from "./proxies.ts";
import type { TakeRequest } from "./take-options.ts";

type Access = Pick<CaptureRequest, "proxy" | "openSession" | "mayNavigate">;
interface AccessParts {
  proxies: Pick<Proxies, "proxyFor">;
  sessions: Pick<PageSessions, "open">;
}

/**
 * Resources that the capture may use: its proxy, the account's sessions and, in the main frame, only the key's allowed targets, if it has
 * any. @throws {AppError} as `Proxies.proxyFor`.
 */
export function accessOf(caller: Caller, request: TakeRequest | undefined, { proxies, sessions }: AccessParts): Access {
  const options: ProxyOptions = request?.options ?? {};
  const isDirect = options.country === undefined && options.proxy === undefined;
  return {
    ...(isDirect ? {} : { proxy: proxies.proxyFor(caller, options) }),
    openSession: (name) => sessions.open(caller, name, request?.signIn),
    ...(caller.allowedTargets.length > 0 ? { mayNavigate: (url) => mayCapture(caller, url) } : {}),
  };
}
