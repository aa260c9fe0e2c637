/** `/v1/account`: the signed-in account, its deletion, and the available plans. */

import { z } from "zod";
import { assertNotPaying } from "../../accounts/billing/subscription.ts";
import { assertConfirmed } from "../../accounts/people/passwords.ts";
import type { SignedIn } from "../../accounts/people/sign-in.ts";
import * as users from "../../accounts/people/users.ts";
import * as plans from "../../accounts/usage/plans.ts";
import { operationsFor } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";
import type { ManagementParts } from "./parts.ts";
import { sendCookies, visitorOf } from "./request-session.ts";
import { count, month, nullableTime, password, personName, plan, planAnswer, planSource, user, userAnswer } from "./schemas.ts";

const declare = operationsFor({ tag: "Account", access: "account" });

const account = z
  .object({
    user,
    plan: plan.extend({
      source: planSource,
      status: z.enum(plans.subscriptionStatuses).meta({
        description:
          "Status of the subscription at the billing provider, even if that status doesn't grant a plan; `active` if there is no subscription.",
      }),
      current_period_end: nullableTime,
      cancel_at_period_end: z.boolean(),
    }),
    month,
    keys: z.object({ used: count.meta({ description: "Number of keys that count toward `max`." }), max: count }),
    second_factor_required: z
      .boolean()
      .meta({ description: "Whether the user must set up a second factor. Until then, all but a few operations are refused." }),
    first_steps: z.object({ key_made: z.boolean(), picture_taken: z.boolean(), key_used: z.boolean() }),
  })
  .meta({ schemaName: "Account" });

const readAccount = declare.get("/v1/account", {
  id: "getAccount",
  summary: "The signed-in account",
  beforeSecondFactor: true,
  answer: account,
});

const changeAccount = declare.patch("/v1/account", {
  id: "changeAccount",
  summary: "Change the account's name",
  body: z.strictObject({ name: personName }),
  answer: account,
});

const deleteAccount = declare.post("/v1/account/delete", {
  id: "deleteAccount",
  summary: "Delete the account",
  description:
    "Must be confirmed with the password or, if there is none, with the e-mail address. Keys, sessions, name and address are deleted immediately, images within minutes.",
  body: z.strictObject({ password: password.optional(), email: z.string().max(254).optional() }),
  failures: ["rate_limited", "not_possible"],
});

const listPlans = declare.get("/v1/account/plans", {
  id: "listPlans",
  summary: "The available plans, including the account's own",
  answer: z.object({ plans: z.array(plan.extend({ current: z.boolean() }).meta({ schemaName: "Plan" })) }),
});

export const accountOperations = [readAccount, changeAccount, deleteAccount, listPlans];

export function accountRoutes({ accountRoute }: Routes, parts: ManagementParts): void {
  const { config, database, keys, signIn, usage, countAttempt, clock, billing } = parts;

  async function accountOf({ userId, lacksSecondFactor }: SignedIn): Promise<z.input<typeof account>> {
    const own = await plans.planOf(database, userId);
    const [person, used, steps] = await Promise.all([
      users.readUser(database, userId),
      plans.monthOf(database, userId, own, new Date(clock.now())),
      users.readFirstSteps(database, userId),
    ]);
    return {
      user: userAnswer(person),
      plan: {
        ...planAnswer(own, config),
        source: own.source,
        status: own.status,
        current_period_end: own.currentPeriodEnd,
        cancel_at_period_end: own.cancelAtPeriodEnd,
      },
      month: used,
      keys: { used: steps.keysUsed, max: own.maxKeys },
      second_factor_required: lacksSecondFactor,
      first_steps: { key_made: steps.keyMade, picture_taken: steps.pictureTaken, key_used: steps.keyUsed },
    };
  }

  accountRoute(readAccount, async (_input, session) => {
    await usage.flush(); // the first steps depend on the keys' last use
    return await accountOf(session);
  });

  accountRoute(changeAccount, async ({ body }, session) => {
    await users.renameUser(database.as(session.actor), session.userId, body.name);
    return await accountOf(session);
  });

  accountRoute(deleteAccount, async ({ body, request, reply }, { userId, actor }) => {
    await countAttempt(request.ip, userId);
    await assertConfirmed(database, visitorOf(request, reply), userId, body);
    if (billing) await assertNotPaying(database, billing.reconcile, userId);
    await users.deleteUser(database.as(actor), userId);
    keys.forget(userId);
    sendCookies(reply, await signIn.signOut(visitorOf(request)));
  });

  accountRoute(listPlans, async (_input, { userId }) => {
    const available = await plans.listPlans(database, { all: false, userId });
    return { plans: available.map((one) => ({ ...planAnswer(one, config), current: one.current })) };
  });
}
