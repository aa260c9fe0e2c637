/** Builds the OpenAPI description of all operations. */

import type { z } from "zod";
import type { FailureCode } from "../../shared/errors.ts";
import { accountOperations } from "../account/account.ts";
import { sessionOperations } from "../account/account-sessions.ts";
import { accountBatchOperations } from "../account/batches.ts";
import { billingOperations } from "../account/billing.ts";
import { receiveBillingWebhook } from "../account/billing-webhook.ts";
import { historyOperations } from "../account/history.ts";
import { invitationOperations } from "../account/invitations.ts";
import { keyCheckOperations } from "../account/key-checks.ts";
import { keyOperations } from "../account/keys.ts";
import { passkeyOperations } from "../account/passkeys.ts";
import { createCapturesInPlayground, takeInPlayground } from "../account/playground.ts";
import { recoveryOperations } from "../account/recovery.ts";
import { screenshotDeletionOperations } from "../account/screenshot-deletion.ts";
import { secondFactorOperations } from "../account/second-factor.ts";
import { signInOperations } from "../account/sign-in.ts";
import { usageOperations } from "../account/usage.ts";
import { webhookDeliveryOperations } from "../account/webhook-deliveries.ts";
import { webhookOperations } from "../account/webhooks.ts";
import { administrationOperations } from "../admin/administration.ts";
import { auditOperations } from "../admin/audit.ts";
import { billingAdministrationOperations } from "../admin/billing-administration.ts";
import { adminPlanOperations } from "../admin/plans.ts";
import { serviceStateOperations } from "../admin/service-state.ts";
import { adminUserAccessOperations } from "../admin/user-access.ts";
import { adminUserOperations } from "../admin/users.ts";
import { batchOperations, createBatch } from "../batches/state.ts";
import { createCaptures } from "../captures/answer.ts";
import { cancelCaptureOperation, captureState, readCapture } from "../captures/state.ts";
import { compareScreenshots } from "../comparisons/compare.ts";
import { readStored } from "../screenshots/stored.ts";
import { storedOperations } from "../screenshots/stored-own.ts";
import { takeScreenshotOperation } from "../screenshots/take.ts";
import { takeScreenshotByPost } from "../screenshots/take-post.ts";
import { healthOperations } from "../server/health.ts";
import { dashboardWatchOperations, runDifference, watchFeed, watchOperations } from "../watches/operations.ts";
import {
  captureAnswers,
  captureFailures,
  drawingContent,
  failureAnswers,
  imageAnswer,
  jsonContent,
  outputsAnswer,
  playgroundFailures,
  stateAnswer,
  unchangedAnswer,
  zipAnswer,
} from "./answers.ts";
import { documentOperations } from "./documents.ts";
import { withNames } from "./named-schemas.ts";
import { jsonSchemaOf, type Operation } from "./operation.ts";
import { parametersOf } from "./parameters.ts";
import { watchInputs } from "./watch-inputs.ts";

type JsonObject = Record<string, unknown>;
type JsonSchema = z.core.JSONSchema.BaseSchema;
type Paths = Record<string, Record<string, JsonObject>>;

/** Operations of the dashboard. */
export const managementOperations: Operation[] = [
  ...signInOperations,
  ...recoveryOperations,
  ...secondFactorOperations,
  ...passkeyOperations,
  ...accountOperations,
  ...sessionOperations,
  takeInPlayground,
  createCapturesInPlayground,
  ...keyOperations,
  ...keyCheckOperations,
  ...historyOperations,
  ...screenshotDeletionOperations,
  ...accountBatchOperations,
  ...usageOperations,
  ...webhookOperations,
  ...webhookDeliveryOperations,
  ...(Object.values(dashboardWatchOperations) as Operation[]),
  ...billingOperations,
  ...administrationOperations,
  ...serviceStateOperations,
  ...adminUserOperations,
  ...adminUserAccessOperations,
  ...adminPlanOperations,
  ...invitationOperations,
  ...billingAdministrationOperations,
  ...auditOperations,
];

const withKeyInBody = [compareScreenshots, ...Object.values(watchOperations)] as Operation[];

/** All operations, in documentation order. */
export const operations: Operation[] = [
  takeScreenshotOperation,
  takeScreenshotByPost,
  createCaptures,
  readCapture,
  cancelCaptureOperation,
  ...batchOperations,
  readStored,
  ...storedOperations,
  ...withKeyInBody,
  watchFeed,
  runDifference,
  ...managementOperations,
  receiveBillingWebhook,
  ...healthOperations,
  ...documentOperations,
];

/** Operations called with an API key, besides the take operations and `createCaptures`. */
const withKey = new Set<Operation>([readCapture, cancelCaptureOperation, ...batchOperations, ...storedOperations, ...withKeyInBody]);

/** Responses of the take operations; the possible errors depend on the kind of caller. */
const captures = new Map<Operation, JsonObject>([
  [takeScreenshotOperation, { ...captureAnswers, ...failureAnswers(captureFailures(), "any", "capture") }],
  [takeScreenshotByPost, { ...captureAnswers, ...failureAnswers(captureFailures(), "any", "capture") }],
  [takeInPlayground, { ...captureAnswers, ...failureAnswers(playgroundFailures(), "any", "capture") }],
]);

/**
 * Describes the operations by path and method, with the schemas that they refer to.
 * @param takeInputs parameters and bodies with capture options, which the operations' declarations don't contain.
 */
export function describeOperations(
  takeInputs: Record<"body" | "captures" | "batch" | "watch", JsonObject> & { parameters: JsonObject[] },
): { paths: Paths; schemas: JsonObject } {
  const security = [{ apiKey: [] }, { bearer: [] }, { apiKeyHeader: [] }];
  const ownInputs = new Map<Operation, JsonObject>([
    [takeScreenshotOperation, { security, parameters: takeInputs.parameters }],
    [takeScreenshotByPost, { security, requestBody: { required: true, content: jsonContent(takeInputs.body) } }],
    [createCaptures, { security, requestBody: { required: true, content: jsonContent(takeInputs.captures) } }],
    ...[...withKey].map((one): [Operation, JsonObject] => [one, { security }]),
    ...[...watchInputs(takeInputs.watch)].map(([one, input]): [Operation, JsonObject] => [one, { security, ...input }]),
    [createBatch, { security, requestBody: { required: true, content: jsonContent(takeInputs.batch) } }],
  ]);
  const paths: Paths = {};
  const named: Record<string, JsonSchema> = {};
  // The operation with status 302 is only called through an identity provider's redirect.
  for (const operation of operations.filter(({ status }) => status !== 302)) {
    const template = operation.path.replace(/:(\w+)/g, "{$1}");
    paths[template] ??= {};
    paths[template][operation.method.toLowerCase()] = { ...describe(operation, named), ...ownInputs.get(operation) };
  }
  return { paths, schemas: Object.fromEntries(Object.entries(named).sort(([a], [b]) => a.localeCompare(b))) };
}

function describe(operation: Operation, named: Record<string, JsonSchema>): JsonObject {
  const { id, tag, summary, description, access, params, query, body } = operation;
  const parameters = [...parametersOf(params, "path"), ...parametersOf(query, "query")];
  const content = (schema: z.ZodType, io: "input" | "output") => jsonContent(withNames(jsonSchemaOf(schema, io), named));
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(description ? { description } : {}),
    security: access === "public" ? [] : [{ session: [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body.type === "undefined" ? {} : { requestBody: { required: true, content: content(body, "input") } }),
    responses: captures.get(operation) ?? { ...successOf(operation, content), ...failuresOf(operation) },
  };
}

function successOf(operation: Operation, content: (schema: z.ZodType, io: "output") => JsonObject): JsonObject {
  const { status, answer, summary, unready } = operation;
  const description = `${summary}.`;
  const { contentType, hasEtag } = answer.meta() ?? {};
  if (answer.type === "undefined") return { [status]: withKey.has(operation) ? stateAnswer("Done.", {}) : { description: "Done." } };
  if (answer.type === "file" && withKey.has(operation)) return { 200: stateAnswer(imageAnswer.description, imageAnswer.content, "image") };
  if (answer.type === "file") return { 200: imageAnswer, ...(hasEtag ? { 304: unchangedAnswer } : {}) };
  if (operation === createCaptures)
    return {
      200: outputsAnswer(content(answer, "output")),
      202: stateAnswer("The capture is queued.", content(captureState, "output"), "queued"),
    };
  if (operation === compareScreenshots) return { 200: stateAnswer(description, { ...content(answer, "output"), ...drawingContent }) };
  if (withKey.has(operation)) {
    const text = contentType ? { [contentType]: { schema: { type: "string" } } } : undefined;
    const kinds = [
      ...(status === 202 || status === 201 ? (["queued"] as const) : []),
      ...(contentType === "application/zip" ? (["outputs"] as const) : []),
    ];
    return { [status]: stateAnswer(description, text ?? content(answer, "output"), ...kinds) };
  }
  if (contentType === "application/zip") return { 200: zipAnswer(description) };
  if (contentType) return { 200: { description, content: { [contentType]: { schema: { type: "string" } } } } };
  if (answer === createCaptures.answer) return { [status]: outputsAnswer(content(answer, "output")) };
  const success = { [status]: { description, content: content(answer, "output") } };
  return unready ? { ...success, 503: { description: unready, content: content(answer, "output") } } : success;
}

function failuresOf(operation: Operation): JsonObject {
  if (operation === createCaptures) return failureAnswers([...captureFailures(), "idempotency_key_reused"], "any", "capture");
  if (withKey.has(operation)) return failureAnswers(operation.failures, "any", "capture");
  if (operation === createCapturesInPlayground) return failureAnswers(playgroundFailures(), "any", "capture");
  return failureAnswers(codesOf(operation));
}

function codesOf(operation: Operation): FailureCode[] {
  const { access, method, path, query, body, readsOwnQuery, beforeSecondFactor, failures: own } = operation;
  if (!path.startsWith("/v1/")) return own;
  const takesInput = (Object.keys(query.shape).length > 0 && !readsOwnQuery) || body.type !== "undefined";
  return [
    ...(takesInput ? (["invalid_parameters"] as const) : []),
    ...(access === "public" ? [] : (["not_signed_in"] as const)),
    ...(access === "public" || beforeSecondFactor ? [] : (["second_factor_required"] as const)),
    ...(access === "admin" ? (["not_permitted"] as const) : []),
    ...(method === "GET" || operation === receiveBillingWebhook ? [] : (["origin_not_allowed"] as const)),
    ...own,
    "internal_error",
    "unavailable",
  ];
}
