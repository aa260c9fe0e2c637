/** `/v1/account`: who is signed in, their plan, their sessions, and how they leave. */

import { z } from "zod";
import type { Management } from "../../accounts/management.ts";
import type { SignIn } from "../../accounts/people/sign-in.ts";
import type { User } from "../../accounts/people/users.ts";
import type { Clock } from "../../clock.ts";
import { operation } from "../operation.ts";
import type { Serve } from "../serve.ts";
import {
  count,
  type DefaultLimit,
  idParams,
  month,
  newPassword,
  nullableText,
  nullableTime,
  password,
  personName,
  plan,
  planAnswer,
  user,
} from "./schemas.ts";
import { sendCookies, visitorOf } from "./session.ts";

const tag = "Account" as const;
const access = "account" as const;

const account = z
  .object({
    user,
    plan: plan.extend({
      source: z.enum(["default", "manual", "billing"]),
      status: z.enum(["trialing", "active", "past_due", "canceled"]),
      current_period_end: nullableTime,
      cancel_at_period_end: z.boolean(),
    }),
    month,
    keys: z.object({ used: count.meta({ description: "Keys that count towards `max`." }), max: count }),
    first_steps: z.object({ key_made: z.boolean(), picture_taken: z.boolean(), key_used: z.boolean() }),
  })
  .meta({ schemaName: "Account" });

const session = z
  .object({
    id: z.uuid(),
    current: z.boolean().meta({ description: "The one that asks." }),
    ip_address: nullableText,
    user_agent: nullableText,
    created_at: z.date(),
    last_seen_at: z.date().meta({ description: "Up to an hour late." }),
    expires_at: z.date(),
  })
  .meta({ schemaName: "Session" });

const readAccount = operation({
  id: "getAccount",
  tag,
  method: "GET",
  path: "/v1/account",
  summary: "The account that is signed in",
  access,
  answer: account,
});

const changeAccount = operation({
  id: "changeAccount",
  tag,
  method: "PATCH",
  path: "/v1/account",
  summary: "Change the account's name",
  access,
  body: z.strictObject({ name: personName }),
  answer: account,
});

const changePassword = operation({
  id: "changePassword",
  tag,
  method: "POST",
  path: "/v1/account/password",
  summary: "Change the password",
  description: "All other sessions end.",
  access,
  body: z.strictObject({ current_password: password, new_password: newPassword }),
  failures: ["not_possible", "rate_limited"],
});

const listSessions = operation({
  id: "listSessions",
  tag,
  method: "GET",
  path: "/v1/account/sessions",
  summary: "Where the account is signed in",
  access,
  answer: z.object({ sessions: z.array(session) }),
});

const endSession = operation({
  id: "endSession",
  tag,
  method: "DELETE",
  path: "/v1/account/sessions/:id",
  summary: "End a session",
  access,
  params: idParams,
  failures: ["not_found"],
});

const endOtherSessions = operation({
  id: "endOtherSessions",
  tag,
  method: "DELETE",
  path: "/v1/account/sessions",
  summary: "End all sessions but this one",
  access,
  answer: z.object({ ended: count }),
});

const deleteAccount = operation({
  id: "deleteAccount",
  tag,
  method: "POST",
  path: "/v1/account/delete",
  summary: "Delete the account",
  description:
    "Confirmed by the password or, without one, by the e-mail address. Keys, sessions, name and address are gone at once, the pictures within minutes.",
  access,
  body: z.strictObject({ password: password.optional(), email: z.string().max(254).optional() }),
  failures: ["rate_limited"],
});

const listPlans = operation({
  id: "listPlans",
  tag,
  method: "GET",
  path: "/v1/account/plans",
  summary: "The plans that there are, and the own one",
  access,
  answer: z.object({ plans: z.array(plan.extend({ current: z.boolean() })) }),
});

export const accountOperations = [
  readAccount,
  changeAccount,
  changePassword,
  listSessions,
  endSession,
  endOtherSessions,
  deleteAccount,
  listPlans,
];

interface AccountParts {
  management: Management;
  signIn: SignIn;
  /** Counts tries to guess a password. @throws `rate_limited`. */
  countTry: (ip: string, account: string) => Promise<void>;
  defaultLimit: DefaultLimit;
  clock: Clock;
}

export function accountRoutes(serve: Serve, { management, signIn, countTry, defaultLimit, clock }: AccountParts): void {
  async function accountOf(userId: string): Promise<z.input<typeof account>> {
    const own = await management.planOf(userId);
    const [person, used, steps] = await Promise.all([
      management.userOf(userId),
      management.monthOf(userId, own, new Date(clock.now())),
      management.firstSteps(userId),
    ]);
    return {
      user: userAnswer(person),
      plan: {
        ...planAnswer(own, defaultLimit),
        source: own.source,
        status: own.status,
        current_period_end: own.currentPeriodEnd,
        cancel_at_period_end: own.cancelAtPeriodEnd,
      },
      month: used,
      keys: { used: steps.keysUsed, max: own.maxKeys },
      first_steps: { key_made: steps.keyMade, picture_taken: steps.pictureTaken, key_used: steps.keyUsed },
    };
  }

  serve.toAccount(readAccount, async (_input, { userId }) => await accountOf(userId));

  serve.toAccount(changeAccount, async ({ body }, { userId }) => {
    await management.renameUser(userId, body.name);
    return await accountOf(userId);
  });

  serve.toAccount(changePassword, async ({ body, request, reply }, { userId }) => {
    await countTry(request.ip, userId);
    const passwords = { current: body.current_password, new: body.new_password };
    sendCookies(reply, await signIn.changePassword(visitorOf(request), passwords));
    return undefined;
  });

  serve.toAccount(listSessions, async (_input, { userId, sessionId }) => {
    const sessions = await management.listSessions(userId);
    return {
      sessions: sessions.map((one) => ({
        id: one.id,
        current: one.id === sessionId,
        ip_address: one.ipAddress,
        user_agent: one.userAgent,
        created_at: one.createdAt,
        last_seen_at: one.lastSeenAt,
        expires_at: one.expiresAt,
      })),
    };
  });

  serve.toAccount(endSession, async ({ params }, { userId }) => {
    await management.endSession(userId, params.id);
    return undefined;
  });

  serve.toAccount(endOtherSessions, async (_input, { userId, sessionId }) => ({
    ended: await management.endOtherSessions(userId, sessionId),
  }));

  serve.toAccount(deleteAccount, async ({ body, request, reply }, { userId }) => {
    await countTry(request.ip, userId);
    await management.assertConfirmed(userId, body);
    await management.deleteUser(userId);
    sendCookies(reply, await signIn.signOut(visitorOf(request)));
    return undefined;
  });

  serve.toAccount(listPlans, async (_input, { userId }) => {
    const plans = await management.listPlans({ all: false, userId });
    return { plans: plans.map((one) => ({ ...planAnswer(one, defaultLimit), current: one.current })) };
  });
}

export function userAnswer(of: User): z.input<typeof user> {
  return {
    id: of.id,
    name: of.name,
    email: of.email,
    email_verified: of.emailVerified,
    image: of.image,
    role: of.role,
    has_password: of.hasPassword,
    created_at: of.createdAt,
  };
}
