/** Deletes one or more of an account's screenshots. */

import { z } from "zod";
import { deletableScreenshots, forgetScreenshot, readScreenshot, type StoredScreenshot } from "../../accounts/history/history.ts";
import { AppError } from "../../shared/errors.ts";
import { callStore } from "../../storage/store.ts";
import { operationsFor } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";
import type { ManagementParts } from "./parts.ts";

const declare = operationsFor({ tag: "Screenshots", access: "account" });

const deletedMax = 100;
/** Number of images deleted from storage concurrently. */
const atOnce = 10;

const deleteOne = declare.delete("/v1/account/screenshots/:id", {
  id: "deleteScreenshot",
  summary: "Delete a screenshot and its image",
  description: "It still counts toward the quota.",
  failures: ["not_found", "not_possible"],
});

const deleteSeveral = declare.post("/v1/account/screenshots/delete", {
  id: "deleteScreenshots",
  summary: "Delete several screenshots and their images",
  description: "They still count toward the quota. If the request fails halfway, repeat it.",
  body: z.strictObject({ ids: z.array(z.uuid()).min(1).max(deletedMax) }),
  answer: z.object({
    deleted: z
      .array(z.uuid())
      .meta({ description: "Ids of the deleted screenshots. Unknown ids, and screenshots that are still being captured, are left out." }),
  }),
});

export const screenshotDeletionOperations = [deleteOne, deleteSeveral];

export function screenshotDeletionRoutes({ accountRoute }: Routes, { database, store, cache }: ManagementParts): void {
  const remove = async (userId: string, { id, objectKey, cacheKey }: Pick<StoredScreenshot, "id" | "objectKey" | "cacheKey">) => {
    await callStore(() => cache.forget(userId, cacheKey, id));
    if (objectKey !== null) await callStore((signal) => store.remove(objectKey, signal));
    await forgetScreenshot(database, userId, id);
  };

  accountRoute(deleteOne, async ({ params }, { userId }) => {
    const found = await readScreenshot(database, userId, params.id);
    if (found.status === "pending") throw new AppError("not_possible", { message: "The screenshot is still being captured." });
    await remove(userId, found);
  });

  accountRoute(deleteSeveral, async ({ body }, { userId }) => {
    const found = await deletableScreenshots(database, userId, body.ids);
    for (let start = 0; start < found.length; start += atOnce)
      await Promise.all(found.slice(start, start + atOnce).map((screenshot) => remove(userId, screenshot)));
    return { deleted: found.map(({ id }) => id) };
  });
}
