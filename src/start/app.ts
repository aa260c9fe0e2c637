/** The service's routes. Hooks that apply to every request are in http/server/http-server.ts and run before the routes' own hooks. */

import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { billingWebhookRoute } from "../http/account/billing.ts";
import { managementRoutes } from "../http/account/management.ts";
import { batchRoutes, createBatchRoute } from "../http/batches/batches.ts";
import { batchFollowRoutes } from "../http/batches/follow.ts";
import { capturesRoute } from "../http/captures/capture.ts";
import { createQueuedCaptures, queuedCapturesRoutes } from "../http/captures/queued.ts";
import { compareRoute } from "../http/comparisons/compare.ts";
import type { ServiceState } from "../http/compat/adapter.ts";
import { loadEnabledAdapters } from "../http/compat/adapters.ts";
import { serveAdapterRoute, servePlainRoute } from "../http/compat/routes.ts";
import { destinationRoutes } from "../http/destinations/destinations.ts";
import { createKeyRoute } from "../http/input/key-routes.ts";
import { createLinkBase, type LinkBase } from "../http/input/link-base.ts";
import { mcpRoute } from "../http/mcp.ts";
import { documentRoutes } from "../http/openapi/documents.ts";
import { createAdmission, refuseWrongKeys } from "../http/screenshots/admission.ts";
import { inBody } from "../http/screenshots/json-input.ts";
import { storedOwnRoutes, storedRoute } from "../http/screenshots/stored.ts";
import { queryInput, takeRoute } from "../http/screenshots/take.ts";
import { takePostRoute } from "../http/screenshots/take-post.ts";
import { healthRoutes } from "../http/server/health.ts";
import { createHttpServer, type Timeouts } from "../http/server/http-server.ts";
import { createOperationRoutes } from "../http/server/operation-routes.ts";
import { createUsageTracker, openToAllOrigins } from "../http/server/requests.ts";
import { pageSessionRoutes } from "../http/sessions/page-sessions.ts";
import { limitsOfBodies } from "../http/sessions/session-body.ts";
import { feedRoutes } from "../http/watches/feed.ts";
import { watchRoutes } from "../http/watches/handlers.ts";
import { runInTurns } from "../shared/turns.ts";
import { version } from "../shared/version.ts";
import type { Services } from "./services.ts";

/** The caller calls `listen` and `close`. The services must outlive the app. */
export async function createApp(services: Services, log: Logger, timeouts: Partial<Timeouts> = {}): Promise<FastifyInstance> {
  const { config } = services;
  const linkBase = createLinkBase(config.PUBLIC_URL, config.WEB_PUBLIC_URL);
  const app = createHttpServer(services, log, timeouts);
  await app.register(async (health) => healthRoutes(health, createOperationRoutes(health, services.signIn), { ...services, version }));
  if (config.ROLE === "worker") return app;
  const openApi = async () => {
    const { describeService } = await import("../http/openapi/openapi.ts");
    return await runInTurns(describeService(services.takeSchema, version));
  };
  await app.register(async (documents) =>
    documentRoutes(documents, createOperationRoutes(documents, services.signIn), { openApi, version }),
  );
  await app.register((routes) => screenshotRoutes(routes, services, linkBase));
  await app.register(async (webhook) =>
    billingWebhookRoute(webhook, createOperationRoutes(webhook, services.signIn), services.billing?.webhooks),
  );
  await app.register(async (management) => managementRoutes(management, { ...services, linkBase }));
  return app;
}

/** Routes called with an API key, and public routes for signed links to stored images and feeds. */
async function screenshotRoutes(app: FastifyInstance, services: Services, linkBase: LinkBase): Promise<void> {
  await openToAllOrigins(app);
  const { config } = services;
  const admissionParts = { ...services, tracker: createUsageTracker(app, services.usage) };
  const parts = { ...services, linkBase, assertWebhookUrl: services.webhooks.assertWebhookUrl };
  const keyRouteOf = (routes: FastifyInstance) => createKeyRoute(routes, admissionParts, config);
  const input = queryInput(services.takeSchema, ["api_key"]);
  takeRoute(app, { ...parts, admission: createAdmission(admissionParts), input });
  await app.register(async (posts) => takePostRoute(posts, parts, admissionParts));
  const { all: adapters, hasMcp } = await loadEnabledAdapters(config.COMPATIBLE_INTERFACES);
  const state = stateOf(services);
  for (const adapter of adapters) {
    for (const route of adapter.routes)
      await app.register(async (other) => serveAdapterRoute(other, parts, admissionParts, { adapter, route }));
    for (const route of adapter.plainRoutes ?? [])
      await app.register(async (other) => servePlainRoute(other, admissionParts, { adapter, route, state }));
  }
  if (hasMcp) await app.register(async (models) => mcpRoute(models, config, admissionParts));
  await app.register(async (captures) => {
    refuseWrongKeys(captures, admissionParts);
    const { admit } = createAdmission(admissionParts, inBody);
    capturesRoute(captures, { ...parts, admit, queued: createQueuedCaptures(parts) });
  });
  await app.register(async (captures) => queuedCapturesRoutes(keyRouteOf(captures), parts));
  await app.register(async (batches) => {
    refuseWrongKeys(batches, admissionParts);
    createBatchRoute(batches, { ...parts, admit: createAdmission(admissionParts, inBody).admit });
  });
  await app.register(async (batches) => {
    const keyRoute = keyRouteOf(batches);
    batchRoutes(keyRoute, parts);
    batchFollowRoutes(keyRoute, parts);
  });
  await app.register(async (compared) => compareRoute(keyRouteOf(compared), parts));
  await app.register(async (stored) => storedOwnRoutes(keyRouteOf(stored), parts));
  const { config: bodies, bounds } = limitsOfBodies(config);
  await app.register(async (sessions) => pageSessionRoutes(createKeyRoute(sessions, admissionParts, bodies, bounds), services));
  await app.register(async (destinations) => destinationRoutes(keyRouteOf(destinations), services));
  await app.register(async (watches) => watchRoutes(keyRouteOf(watches), parts));
  const publicRoutes = createOperationRoutes(app, services.signIn);
  feedRoutes(publicRoutes, parts);
  storedRoute(publicRoutes, services);
}

/** This process's state, for the status routes of compatible interfaces, such as `/pressure`. */
function stateOf({ config, slots, browserIdentity }: Services): ServiceState {
  return {
    version,
    browser: browserIdentity,
    load: () => {
      const { running, waiting, max } = slots.state();
      return { running, waiting, runningMax: max, waitingMax: config.MAX_QUEUED_SCREENSHOTS ?? 8 * max };
    },
  };
}
