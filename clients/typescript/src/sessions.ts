/** Cookies and storage for pages that require a sign-in, saved by name. */

import type { PageSession, SessionRequest } from "./api.generated.ts";
import { type CallOptions, type Calls, pagesOf, pathOf } from "./calls.ts";

export interface Sessions {
  /**
   * Saves a state in the format of Playwright's `storageState`, or what `steps` at `url` leave. Replaces any session with the same name, unless
   * the sign-in fails.
   */
  save(request: SessionRequest, options?: CallOptions): Promise<PageSession>;
  /** Newest first, page by page. */
  list(options?: CallOptions): AsyncGenerator<PageSession>;
  get(name: string, options?: CallOptions): Promise<PageSession>;
  /** Signs in again by the session's steps. The session keeps its state if that fails. */
  signIn(name: string, options?: CallOptions): Promise<PageSession>;
  remove(name: string, options?: CallOptions): Promise<void>;
}

export function createSessions(calls: Calls): Sessions {
  const { json } = calls;
  return {
    save: (body, options) => json({ method: "POST", path: "/v1/sessions", body, repeat: "always" }, options),
    list: (options = {}) => pagesOf(calls, "/v1/sessions", "sessions", {}, options),
    get: (name, options) => json({ method: "GET", path: pathOf("sessions", name), repeat: "always" }, options),
    signIn: (name, options) => json({ method: "POST", path: `${pathOf("sessions", name)}/sign-in`, repeat: "refused" }, options),
    remove: (name, options) => json({ method: "DELETE", path: pathOf("sessions", name), repeat: "always" }, options),
  };
}
