/** Captures and batches with a dashboard session instead of a key. */

import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { playgroundCaller } from "../../accounts/keys/caller.ts";
import type { SignIn } from "../../accounts/people/sign-in.ts";
import type { UsageCounts } from "../../accounts/usage/counts.ts";
import type { RateLimiter } from "../../accounts/usage/rate-limit.ts";
import type { Database } from "../../database/database.ts";
import { type BatchesParts, createBatchRoute } from "../batches/batches.ts";
import { batchState } from "../batches/state.ts";
import { captureSchema } from "../captures/answer.ts";
import { type CapturesParts, capturesRoute } from "../captures/capture.ts";
import { captureAnswers, outputsAnswer, playgroundFailures } from "../openapi/answers.ts";
import { operationsFor } from "../openapi/operation.ts";
import { admissionBy } from "../screenshots/admission.ts";
import { queryInput, type TakeRouteParts, takeRoute } from "../screenshots/take.ts";
import { createUsageTracker } from "../server/requests.ts";
import { requireSession } from "./request-session.ts";

const declare = operationsFor({ tag: "Account", access: "account" });

/** Same query and responses as the take operation, which validates and documents them. */
export const takeInPlayground = declare.post("/v1/account/playground", {
  // POST, because only unsafe methods require the dashboard's origin
  id: "takeInPlayground",
  summary: "Take a screenshot as the signed-in user",
  description:
    "Accepts the same query as `GET /v1/screenshots/take`, except `api_key`, and responds in the same way. Usage is counted for the account, not for a key.",
  captures: true,
  readsOwnQuery: true,
  answer: z.file(),
  responses: () => captureAnswers,
  failures: playgroundFailures(),
});

/** Same body as `POST /v1/captures`, which validates and documents it; captures are never queued. */
export const createCapturesInPlayground = declare.post("/v1/account/playground/captures", {
  id: "createCapturesInPlayground",
  summary: "Capture several outputs of one page as the signed-in user",
  description:
    "Accepts the same body as `POST /v1/captures`, except `api_key`, and responds in the same way. Usage is counted for the account, not for a key.",
  captures: true,
  body: z.looseObject({ outputs: z.array(z.looseObject({})) }),
  answer: captureSchema,
  responses: (content) => ({ 200: outputsAnswer(content(captureSchema)) }),
  failures: playgroundFailures(),
});

/** Same body as `POST /v1/batches`, which validates and documents it. */
export const createBatchInDashboard = operationsFor({ tag: "Screenshots", access: "account" }).post("/v1/account/batches", {
  id: "createAccountBatch",
  summary: "Capture many pages as the signed-in user",
  description:
    "Accepts the same body as `POST /v1/batches`, except `api_key`, and responds in the same way. Usage is counted for the account, not for a key.",
  body: z.looseObject({}),
  status: 202,
  answer: batchState,
  failures: [...playgroundFailures(), "idempotency_key_reused"],
});

export interface PlaygroundParts extends Omit<TakeRouteParts & CapturesParts & BatchesParts, "admission" | "admit" | "input" | "queued"> {
  database: Database;
  signIn: SignIn;
  usage: UsageCounts;
  rateLimiter: RateLimiter;
}

export function playgroundRoute(app: FastifyInstance, parts: PlaygroundParts): void {
  const { signIn, database, usage, rateLimiter } = parts;
  const tracker = createUsageTracker(app, usage);
  /** Uses the account instead of a key. The plan's rate limit applies to the playground as it does to each key. */
  const admission = admissionBy(async (request, reply) => {
    const { userId } = await requireSession(signIn, request, reply);
    const caller = await playgroundCaller(database, userId);
    tracker.attribute(request, caller);
    return caller;
  }, rateLimiter);
  takeRoute(app, { ...parts, admission, input: queryInput(parts.takeSchema, []) }, takeInPlayground);
  app.register(async (captures) => {
    captures.addHook("onRequest", async (request, reply) => void (await requireSession(signIn, request, reply))); // before the body is received
    capturesRoute(captures, { ...parts, admit: admission.admit, queued: undefined }, createCapturesInPlayground);
  });
  app.register(async (batches) => {
    batches.addHook("onRequest", async (request, reply) => void (await requireSession(signIn, request, reply)));
    createBatchRoute(batches, { ...parts, admit: admission.admit }, createBatchInDashboard.path);
  });
}
