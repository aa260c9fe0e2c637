/** The management API, used by the dashboard and authenticated by a session cookie. */

import type { FastifyInstance } from "fastify";
import type { Billing } from "../../accounts/billing/billing.ts";
import type { Keys } from "../../accounts/keys/authenticate.ts";
import type { Signatures } from "../../accounts/keys/restrictions.ts";
import type { CountSignInAttempt } from "../../accounts/people/sign-in-limit.ts";
import type { SignUpPolicy } from "../../accounts/people/sign-up.ts";
import type { CountAttempt } from "../../accounts/usage/attempt-limit.ts";
import type { Mailer } from "../../mail/mailer.ts";
import type { Config } from "../../settings/config.ts";
import type { Clock } from "../../shared/clock.ts";
import type { ImageStore } from "../../storage/store.ts";
import type { Webhooks } from "../../webhooks/webhooks.ts";
import { administrationRoutes } from "../admin/administration.ts";
import { auditRoutes } from "../admin/audit.ts";
import { billingAdministrationRoutes } from "../admin/billing-administration.ts";
import { adminPlanRoutes } from "../admin/plans.ts";
import { type StateParts, serviceStateRoutes } from "../admin/service-state.ts";
import { adminUserAccessRoutes } from "../admin/user-access.ts";
import { adminUserRoutes } from "../admin/users.ts";
import { createRoutes, guardManagement } from "../server/serve.ts";
import type { WatchParts } from "../watches/handlers.ts";
import { dashboardWatchRoutes } from "../watches/routes.ts";
import { accountRoutes } from "./account.ts";
import { sessionRoutes } from "./account-sessions.ts";
import { accountBatchRoutes, type BatchParts } from "./batches.ts";
import { billingRoutes } from "./billing.ts";
import { historyRoutes } from "./history.ts";
import { invitationRoutes } from "./invitations.ts";
import { keyCheckRoutes } from "./key-checks.ts";
import { keyRoutes } from "./keys.ts";
import { passkeyRoutes } from "./passkeys.ts";
import { type PlaygroundParts, playgroundRoute } from "./playground.ts";
import { recoveryRoutes } from "./recovery.ts";
import { screenshotDeletionRoutes } from "./screenshot-deletion.ts";
import { secondFactorRoutes } from "./second-factor.ts";
import { signInRoutes } from "./sign-in.ts";
import { usageRoutes } from "./usage.ts";
import { webhookDeliveryRoutes } from "./webhook-deliveries.ts";
import { webhookRoutes } from "./webhooks.ts";

export interface ManagementParts
  extends PlaygroundParts,
    BatchParts,
    Omit<StateParts, "database">,
    Pick<WatchParts, "watches" | "feedLinks"> {
  config: Config;
  clock: Clock;
  keys: Keys;
  countAttempt: CountSignInAttempt;
  countSend: CountAttempt;
  signatures: Signatures;
  signUp: SignUpPolicy;
  billing: Billing | undefined;
  webhooks: Webhooks;
  store: ImageStore;
  /** Undefined if mail is not configured. */
  mailer: Mailer | undefined;
}

/** Requires a dedicated Fastify instance. */
export function managementRoutes(app: FastifyInstance, parts: ManagementParts): void {
  const { config } = parts;
  guardManagement(app, config.WEB_PUBLIC_URL);
  const routes = createRoutes(app, parts.signIn);
  const defaultLimit = { requests: config.RATE_LIMIT_MAX_REQUESTS, windowSeconds: Math.ceil(config.RATE_LIMIT_WINDOW_MS / 1000) };
  const shared = { ...parts, defaultLimit, prefix: config.DEFAULT_API_KEY_PREFIX };
  signInRoutes(routes, shared);
  recoveryRoutes(routes, shared);
  secondFactorRoutes(routes, shared);
  passkeyRoutes(routes, shared);
  accountRoutes(routes, shared);
  sessionRoutes(routes, shared);
  keyRoutes(routes, shared);
  keyCheckRoutes(routes, shared);
  historyRoutes(routes, shared);
  screenshotDeletionRoutes(routes, shared);
  accountBatchRoutes(routes, shared);
  usageRoutes(routes, shared);
  webhookRoutes(routes, shared);
  webhookDeliveryRoutes(routes, shared);
  dashboardWatchRoutes(routes, { ...shared, assertWebhookUrl: parts.webhooks.assertWebhookUrl });
  billingRoutes(routes, shared);
  administrationRoutes(routes, shared);
  adminUserRoutes(routes, shared);
  adminUserAccessRoutes(routes, shared);
  adminPlanRoutes(routes, shared);
  invitationRoutes(routes, shared);
  billingAdministrationRoutes(routes, shared);
  auditRoutes(routes, shared);
  serviceStateRoutes(routes, shared);
  playgroundRoute(app, shared);
}
