/** The browser endpoint's server, which listens on its own port. */

import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { ApiKey } from "../accounts/keys/caller.ts";
import type { LentBrowsers } from "../browser/cdp-browsers.ts";
import type { Tab } from "../browser/tab.ts";
import { listNames } from "../capture/blocking/lists.ts";
import { createPageBlocker } from "../capture/blocking/page-blocker.ts";
import { restoreSession } from "../capture/session/restore-session.ts";
import { createBrowserSessions } from "../cdp/sessions.ts";
import { browserEndpointRoutes } from "../http/browser-endpoint.ts";
import { createHttpServer } from "../http/server/http-server.ts";
import { createUsageTracker } from "../http/server/requests.ts";
import type { Services } from "./services.ts";

/**
 * The caller calls `listen`, and `close` once the shutdown has begun. The services must outlive the server.
 * @param minuteMs length of a charged minute; shorter in tests.
 */
export async function createBrowserEndpoint(
  services: Services,
  lent: LentBrowsers,
  log: Logger,
  minuteMs = 60_000,
): Promise<FastifyInstance> {
  const { config, closing, usage, browserMinutes: minutes } = services;
  const app = createHttpServer(services, log);
  const openPageSession = async (key: ApiKey, name: string) => {
    const { state } = await services.pageSessions.open(key, name);
    return (page: Tab) => restoreSession(page, state);
  };
  const parts = { ...services, minutes, minuteMs, createBlocker: createPageBlocker, openPageSession, log };
  const sessions = createBrowserSessions(lent, parts, closing);
  app.addHook("onClose", sessions.close);
  const endpoint = { sessions, identity: services.browserIdentity, timeoutMaxMs: config.CDP_SESSION_TIMEOUT, blockable: listNames };
  await app.register(async (routes) =>
    browserEndpointRoutes(routes, endpoint, { ...services, tracker: createUsageTracker(routes, usage) }),
  );
  return app;
}
