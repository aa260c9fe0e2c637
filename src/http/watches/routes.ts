/** `/v1/watches` with an API key, and `/v1/account/watches` with a session. */

import { playgroundCaller } from "../../accounts/keys/caller.ts";
import { assertNotPublic } from "../../accounts/keys/restrictions.ts";
import { idempotencyOf } from "../captures/idempotency.ts";
import type { KeyRoute } from "../input/key-routes.ts";
import type { Operation } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";
import { createWatchHandlers, type WatchHandlers, type WatchParts } from "./handlers.ts";
import { dashboardWatchOperations, watchOperations } from "./operations.ts";

/** TypeScript can check each pair of operation and handler, but not their union in a loop. */
type AnyHandler = (input: object) => Promise<never>;

const names = Object.keys(watchOperations) as (keyof WatchHandlers)[];

export function watchRoutes(keyRoute: KeyRoute, parts: WatchParts): void {
  const handlers = createWatchHandlers(parts);
  for (const name of names)
    keyRoute(watchOperations[name] as Operation, async (called) => {
      assertNotPublic(called.caller, "can't be used for watches");
      return await (handlers[name] as AnyHandler)({ ...called, idempotency: idempotencyOf(called.request) });
    });
}

export function dashboardWatchRoutes({ accountRoute }: Routes, parts: WatchParts): void {
  const handlers = createWatchHandlers(parts);
  for (const name of names)
    accountRoute(dashboardWatchOperations[name] as Operation, async (input, { userId }) => {
      const caller = await playgroundCaller(parts.database, userId);
      return await (handlers[name] as AnyHandler)({ ...input, caller, idempotency: undefined });
    });
}
