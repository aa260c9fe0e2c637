/** What the management API asks of accounts, bound to the database. */

import type pg from "pg";
import { answerInTime, isDatabaseAway } from "../database.ts";
import { AppError } from "../errors.ts";
import { choosePlan } from "./admin.ts";
import type { Keys } from "./keys/authenticate.ts";
import { playgroundCaller } from "./keys/playground.ts";
import { changeOwnedKey, createOwnedKey, listOwnedKeys, readOwnedKey, revokeOwnedKey, rotateOwnedKey } from "./keys/store.ts";
import { listUsers, readUser, setDisabled, totals } from "./people/directory.ts";
import { assertConfirmed, deleteUser, endOtherSessions, endSession, firstSteps, listSessions, renameUser, userOf } from "./people/users.ts";
import { forgetScreenshot, listScreenshots, readScreenshot } from "./usage/history.ts";
import { listPlans, monthOf, planOf } from "./usage/plans.ts";
import { dailyUsage, usageReport } from "./usage/report.ts";

const functions = {
  ...{ userOf, renameUser, firstSteps, listSessions, endSession, endOtherSessions, assertConfirmed, deleteUser },
  ...{ planOf, monthOf, listPlans, choosePlan },
  ...{ listOwnedKeys, readOwnedKey, createOwnedKey, changeOwnedKey, rotateOwnedKey, revokeOwnedKey },
  ...{ listScreenshots, readScreenshot, forgetScreenshot },
  ...{ usageReport, dailyUsage, playgroundCaller },
  ...{ listUsers, readUser, setDisabled, totals },
};

type Bound<F> = F extends (pool: pg.Pool, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never;
export type Management = { [Name in keyof typeof functions]: Bound<(typeof functions)[Name]> };

/** They change what keys may do; the first thing they are told is whose. */
const changingKeys: string[] = [
  "changeOwnedKey",
  "rotateOwnedKey",
  "revokeOwnedKey",
  "deleteUser",
  "setDisabled",
  "choosePlan",
] satisfies (keyof typeof functions)[];

/** Each throws, besides its own, the {@link AppError} `unavailable` while the database is away. */
export function createManagement(pool: pg.Pool, keys: Pick<Keys, "forget">): Management {
  const bind =
    (name: string, run: (pool: pg.Pool, ...rest: never[]) => Promise<unknown>) =>
    async (...rest: never[]) => {
      try {
        const result = await answerInTime(run(pool, ...rest));
        if (changingKeys.includes(name)) keys.forget(String(rest[0])); // so that it holds when the answer is there
        return result;
      } catch (error) {
        if (isDatabaseAway(error)) throw new AppError("unavailable", { retryAfterSeconds: 5, cause: error });
        throw error;
      }
    };
  return Object.fromEntries(Object.entries(functions).map(([name, run]) => [name, bind(name, run)])) as Management;
}
