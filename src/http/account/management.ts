/** The management API, used by the dashboard and authenticated by a session cookie. */

import type { FastifyInstance } from "fastify";
import { auditOperations, auditRoutes } from "../admin/audit.ts";
import { billingAdministrationOperations, billingAdministrationRoutes } from "../admin/billing-administration.ts";
import { adminPlanOperations, adminPlanRoutes } from "../admin/plans.ts";
import { administrationOperations, administrationRoutes, serviceStateOperations, serviceStateRoutes } from "../admin/service-state.ts";
import { adminUserAccessOperations, adminUserAccessRoutes, adminUserOperations, adminUserRoutes } from "../admin/users.ts";
import { dashboardDestinationOperations, dashboardDestinationRoutes } from "../destinations/destinations.ts";
import type { Operation } from "../openapi/operation.ts";
import { createOperationRoutes, guardManagement, type Routes } from "../server/operation-routes.ts";
import { dashboardPageSessionOperations, dashboardSessionRoutes } from "../sessions/page-sessions.ts";
import { dashboardWatchRoutes, type WatchParts } from "../watches/handlers.ts";
import { dashboardWatchOperations } from "../watches/operations.ts";
import { accountOperations, accountRoutes } from "./account.ts";
import { sessionOperations, sessionRoutes } from "./account-sessions.ts";
import { accountBatchOperations, accountBatchRoutes } from "./batches.ts";
import { billingOperations, billingRoutes } from "./billing.ts";
import { historyOperations, historyRoutes } from "./history.ts";
import { invitationOperations, invitationRoutes } from "./invitations.ts";
import { keyCheckOperations, keyCheckRoutes, keyOperations, keyRoutes } from "./keys.ts";
import type { ManagementParts } from "./parts.ts";
import { passkeyOperations, passkeyRoutes } from "./passkeys.ts";
import {
  createBatchInDashboard,
  createCapturesInPlayground,
  type PlaygroundParts,
  playgroundRoute,
  takeInPlayground,
} from "./playground.ts";
import { recoveryOperations, recoveryRoutes } from "./recovery.ts";
import { screenshotDeletionOperations, screenshotDeletionRoutes } from "./screenshot-deletion.ts";
import { secondFactorOperations, secondFactorRoutes } from "./second-factor.ts";
import { signInOperations, signInRoutes } from "./sign-in.ts";
import { usageOperations, usageRoutes } from "./usage.ts";
import { webhookDeliveryOperations, webhookDeliveryRoutes } from "./webhook-deliveries.ts";
import { webhookOperations, webhookRoutes } from "./webhooks.ts";

type AllParts = ManagementParts & Omit<PlaygroundParts & WatchParts, "assertWebhookUrl">;
type Serve = (routes: Routes, parts: AllParts, app: FastifyInstance) => void;

/** Groups of operations, each with the function that serves it, in documentation order. */
const groups: [Operation[], Serve][] = [
  [signInOperations, signInRoutes],
  [recoveryOperations, recoveryRoutes],
  [secondFactorOperations, secondFactorRoutes],
  [passkeyOperations, passkeyRoutes],
  [accountOperations, accountRoutes],
  [sessionOperations, sessionRoutes],
  [
    [takeInPlayground, createCapturesInPlayground, createBatchInDashboard],
    (_routes, parts, app) => playgroundRoute(app, { ...parts, assertWebhookUrl: parts.webhooks.assertWebhookUrl }),
  ],
  [keyOperations, keyRoutes],
  [keyCheckOperations, keyCheckRoutes],
  [historyOperations, historyRoutes],
  [screenshotDeletionOperations, screenshotDeletionRoutes],
  [accountBatchOperations, accountBatchRoutes],
  [usageOperations, usageRoutes],
  [webhookOperations, webhookRoutes],
  [webhookDeliveryOperations, webhookDeliveryRoutes],
  [dashboardPageSessionOperations, dashboardSessionRoutes],
  [dashboardDestinationOperations, dashboardDestinationRoutes],
  [
    Object.values(dashboardWatchOperations) as Operation[],
    (routes, parts) => dashboardWatchRoutes(routes, { ...parts, assertWebhookUrl: parts.webhooks.assertWebhookUrl }),
  ],
  [billingOperations, billingRoutes],
  [administrationOperations, administrationRoutes],
  [serviceStateOperations, serviceStateRoutes],
  [adminUserOperations, adminUserRoutes],
  [adminUserAccessOperations, adminUserAccessRoutes],
  [adminPlanOperations, adminPlanRoutes],
  [invitationOperations, invitationRoutes],
  [billingAdministrationOperations, billingAdministrationRoutes],
  [auditOperations, auditRoutes],
];

export const managementOperations: Operation[] = groups.flatMap(([operations]) => operations);

/** Requires a dedicated Fastify instance. */
export function managementRoutes(app: FastifyInstance, parts: AllParts): void {
  guardManagement(app, parts.config.WEB_PUBLIC_URL);
  const routes = createOperationRoutes(app, parts.signIn, parts.countChange);
  for (const [, serve] of groups) serve(routes, parts, app);
}
