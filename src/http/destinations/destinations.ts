/** `/v1/destinations` with an API key, and `/v1/account/destinations` in the dashboard: buckets to which screenshots are copied. */

import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { TestDestination } from "../../accounts/destinations/copy.ts";
import type { Destinations } from "../../accounts/destinations/destinations.ts";
import { type Caller, playgroundCaller } from "../../accounts/keys/caller.ts";
import type { CountAttempt } from "../../accounts/usage/rate-limit.ts";
import type { Actor, Database } from "../../database/database.ts";
import { admissionFailures } from "../captures/state.ts";
import type { KeyRoute } from "../input/key-routes.ts";
import { answerFrom, operationsFor } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";
import { destinationName, destinationSchema, savedDestination, tested } from "./schemas.ts";

const answerOf = answerFrom(destinationSchema);
const params = z.strictObject({ name: destinationName.meta({ description: "Name of the destination." }) });
const query = z.object({ api_key: z.string().optional().meta({ description: "The API key, unless it is in a header." }) });
const answerOfList = z.object({ destinations: z.array(destinationSchema) });
const withKey = operationsFor({ tag: "Destinations", access: "key" });
const inDashboard = operationsFor({ tag: "Destinations", access: "account" });
const failures = [...admissionFailures, "target_not_allowed" as const];

const saving = {
  summary: "Save a destination",
  description:
    "Replaces any destination with this name. Nothing is sent to the bucket until the first test or copy. The access key needs permission to put objects and, for the test, to delete them.",
  body: savedDestination,
  status: 201 as const,
  answer: destinationSchema,
};
const testing = {
  summary: "Test a destination",
  description: "Writes a small object under the key that the template yields for a page on example.com, and deletes it.",
  params,
  answer: tested,
};

const save = withKey.post("/v1/destinations", {
  ...saving,
  id: "saveDestination",
  failures: [...failures, "destination_limit_reached"],
});
const list = withKey.get("/v1/destinations", {
  id: "listDestinations",
  summary: "The account's destinations",
  description: "Newest first, without their access keys.",
  query,
  answer: answerOfList,
  failures,
});
const read = withKey.get("/v1/destinations/:name", {
  id: "getDestination",
  summary: "Read a destination, without its access key",
  params,
  query,
  answer: destinationSchema,
  failures: [...failures, "not_found"],
});
const test = withKey.post("/v1/destinations/:name/test", { ...testing, id: "testDestination", failures: [...failures, "not_found"] });
const remove = withKey.delete("/v1/destinations/:name", {
  id: "deleteDestination",
  summary: "Delete a destination",
  description: "Its access key is deleted immediately, and pending copies fail. Existing copies stay in the bucket.",
  params,
  query,
  failures: [...failures, "not_found"],
});

export const destinationOperations = [save, list, read, test, remove];

const path = "/v1/account/destinations";
const listInDashboard = inDashboard.get(path, {
  id: "listDestinationsInDashboard",
  summary: "The account's destinations",
  answer: answerOfList,
});
const saveInDashboard = inDashboard.post(path, {
  ...saving,
  id: "saveDestinationInDashboard",
  failures: ["invalid_parameters", "destination_limit_reached"],
});
const testInDashboard = inDashboard.post(`${path}/:name/test`, {
  ...testing,
  id: "testDestinationInDashboard",
  failures: ["not_found", "rate_limited"],
});
const removeInDashboard = inDashboard.delete(`${path}/:name`, {
  id: "deleteDestinationInDashboard",
  summary: "Delete a destination",
  params,
  failures: ["not_found"],
});

export const dashboardDestinationOperations = [listInDashboard, saveInDashboard, testInDashboard, removeInDashboard];

interface Parts {
  database: Database;
  destinations: Destinations;
  testDestination: TestDestination;
  /** Rate limit for webhooks and destination tests that a user triggers. */
  countSend: CountAttempt;
}

const vetTimeoutMs = 10_000;

function saveFrom(
  { database, destinations }: Parts,
  { path_style, access_key_id, secret_access_key, ...body }: z.output<typeof savedDestination>,
) {
  const saved = { ...body, pathStyle: path_style, accessKeyId: access_key_id, secretAccessKey: secret_access_key };
  return async (caller: Caller, actor: Actor) =>
    answerOf(await destinations.save(database.as(actor), caller, saved, AbortSignal.timeout(vetTimeoutMs)));
}

async function testBy({ testDestination, countSend }: Parts, caller: Caller, name: string) {
  await countSend(caller.userId);
  return await testDestination(caller, name, AbortSignal.timeout(testTimeoutMs));
}

/** Longer than the test's own timeout, whose error message is better. */
const testTimeoutMs = 60_000;

export function destinationRoutes(keyRoute: KeyRoute, parts: Parts): void {
  const { database, destinations } = parts;
  const by = ({ userId }: Caller, { ip }: FastifyRequest): Actor => ({ via: "api", userId, ip });
  keyRoute(save, async ({ caller, body, request, reply }) => {
    const saved = await saveFrom(parts, body)(caller, by(caller, request));
    reply.header("location", `/v1/destinations/${saved.name}`);
    return saved;
  });
  keyRoute(list, async ({ caller }) => ({ destinations: (await destinations.list(caller)).map(answerOf) }));
  keyRoute(read, async ({ caller, params }) => answerOf(await destinations.read(caller, params.name)));
  keyRoute(test, ({ caller, params }) => testBy(parts, caller, params.name));
  keyRoute(remove, async ({ caller, params, request }) => {
    await destinations.remove(database.as(by(caller, request)), caller, params.name);
    return undefined;
  });
}

export function dashboardDestinationRoutes({ accountRoute }: Routes, parts: Parts): void {
  const { database, destinations } = parts;
  const callerOf = (userId: string) => playgroundCaller(database, userId);
  accountRoute(listInDashboard, async (_input, { userId }) => ({
    destinations: (await destinations.list(await callerOf(userId))).map(answerOf),
  }));
  accountRoute(saveInDashboard, async ({ body }, { userId, actor }) => await saveFrom(parts, body)(await callerOf(userId), actor));
  accountRoute(testInDashboard, async ({ params }, { userId }) => await testBy(parts, await callerOf(userId), params.name));
  accountRoute(removeInDashboard, async ({ params }, { userId, actor }) => {
    await destinations.remove(database.as(actor), await callerOf(userId), params.name);
    return undefined;
  });
}
