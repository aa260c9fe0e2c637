/** Signs in a page session immediately when a caller requests it, so that the caller sees any error. The steps run in a capture. */

import type { FastifyReply } from "fastify";
import { v7 } from "uuid";
import type { Caller } from "../../accounts/keys/caller.ts";
import type { PageSession } from "../../accounts/sessions/page-session.ts";
import type { PageSessions } from "../../accounts/sessions/page-sessions.ts";
import type { RequestedSignIn } from "../../accounts/sessions/requested-sign-in.ts";
import type { SignInAttempts } from "../../accounts/sessions/sign-in-attempts.ts";
import type { Actor } from "../../database/database.ts";
import { createTakeRequest, type TakeSchema } from "../../screenshots/take/take-options.ts";
import type { TakeScreenshot } from "../../screenshots/take/take-screenshot.ts";
import { timeoutSignal, withDeadline } from "../../shared/deadline.ts";
import { AppError } from "../../shared/errors.ts";
import type { SignInPlan } from "../../shared/sign-in-plan.ts";
import { countUntilClosed } from "../screenshots/take.ts";
import { confirmOnceSent } from "../server/confirm-once-sent.ts";
import { followDisconnection } from "../server/requests.ts";

export interface SignInParts extends Pick<SignInAttempts, "countSignIn"> {
  pageSessions: PageSessions;
  takeScreenshot: TakeScreenshot;
  takeSchema: TakeSchema;
}

interface Requested {
  caller: Caller;
  /** Who requests the sign-in, for the audit log. */
  actor: Actor;
  reply: FastifyReply;
  name: string;
}

const timedOut = () => new AppError("target_timeout", { message: "The session's sign-in did not end in time." });

/**
 * Saves a session under the requested name once the plan's steps have succeeded, even if the capture then fails. Until then, an existing
 * session with this name remains in use. If several sign-ins run concurrently, the last to finish is saved.
 * @throws {AppError} `session_limit_reached`; `invalid_parameters` if the name belongs to another key; `invalid_api_key` if the account was
 *   deleted; `domain_not_allowed`, `target_not_allowed`, `rate_limited`, `sign_in_failed`, and any capture error. In all of these cases,
 *   nothing has been saved.
 */
export async function saveSignedIn(parts: SignInParts, requested: Requested & { plan: SignInPlan }): Promise<PageSession> {
  const { caller, name, plan } = requested;
  await parts.pageSessions.assertSavable(caller, name);
  return await signIn(parts, requested, plan, { id: v7(), plan, actor: requested.actor });
}

/**
 * Signs in a session again with its own steps.
 * @throws {AppError} `not_found`; `invalid_parameters` if the session has no steps, or they can't be decrypted; `domain_not_allowed`,
 *   `target_not_allowed`, `rate_limited`, `sign_in_failed`, and any capture error. The session then keeps its state.
 */
export async function signInAgain(parts: SignInParts, requested: Requested): Promise<PageSession> {
  const plan = await parts.pageSessions.planOf(requested.caller, requested.name);
  return await signIn(parts, requested, plan, { id: v7(), actor: requested.actor });
}

async function signIn(
  { pageSessions, takeScreenshot, takeSchema, countSignIn }: SignInParts,
  { caller, reply, name }: Requested,
  plan: SignInPlan,
  signIn: RequestedSignIn,
): Promise<PageSession> {
  countUntilClosed(caller.userId, reply);
  const options = takeSchema.parse({ url: plan.url, session: name });
  const request = await takeScreenshot.prepare(caller, { ...createTakeRequest(takeSchema, options, []), signIn });
  await takeScreenshot.find(caller, request); // refuses targets that the key may not capture
  await countSignIn(caller.userId, plan);
  const ms = options.timeout * 1000;
  const signals = {
    disconnected: followDisconnection(reply),
    deadline: timeoutSignal(ms, timedOut),
    deadlineAt: performance.now() + ms,
  };
  try {
    const taking = takeScreenshot.take(caller, request, signals);
    const { confirmCharge } = await withDeadline(taking, ms + takeScreenshot.endingGraceMs, () => Promise.reject(timedOut()));
    if (confirmCharge) confirmOnceSent(reply, confirmCharge);
  } catch (error) {
    // If the sign-in succeeded, only the capture after it failed.
    if (!(await pageSessions.isSignedInBy(caller, name, signIn.id))) throw error;
  }
  return await pageSessions.read(caller, name);
}
