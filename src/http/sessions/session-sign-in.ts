/** Saves a page session that signs in by steps: it does so at once, in a capture, so that what is wrong is known. */

import type { FastifyReply } from "fastify";
import type { Caller } from "../../accounts/keys/caller.ts";
import type { PageSession } from "../../accounts/sessions/page-session.ts";
import type { PageSessions } from "../../accounts/sessions/page-sessions.ts";
import type { Database } from "../../database/database.ts";
import type { TakeScreenshot } from "../../screenshots/take/take.ts";
import type { TakeSchema } from "../../screenshots/take/take-options.ts";
import { createTakeRequest } from "../../screenshots/take/take-request.ts";
import { timeoutSignal, withDeadline } from "../../shared/deadline.ts";
import { AppError } from "../../shared/errors.ts";
import type { SignInPlan } from "../../shared/sign-in-plan.ts";
import { enterWaiting } from "../screenshots/take.ts";
import { followDisconnection, onceAnswered } from "../server/requests.ts";

export interface SignInParts {
  pageSessions: PageSessions;
  takeScreenshot: TakeScreenshot;
  takeSchema: TakeSchema;
}

const timedOut = () => new AppError("target_timeout", { message: "The session's sign-in did not end in time." });

/**
 * The session is saved once it has signed in, even if the capture then fails.
 * @param database records the change under its actor.
 * @throws {AppError} `sign_in_failed` and all failures of a capture: then nothing has changed.
 */
export async function saveSignedIn(
  { pageSessions, takeScreenshot, takeSchema }: SignInParts,
  database: Database,
  { caller, reply, name, plan }: { caller: Caller; reply: FastifyReply; name: string; plan: SignInPlan },
): Promise<PageSession> {
  enterWaiting(caller.userId, reply);
  const { confirm, undo } = await pageSessions.saveSignIn(database, caller, name, plan);
  try {
    const parsed = createTakeRequest(takeSchema, takeSchema.parse({ url: plan.url, session: name }), []);
    const request = await takeScreenshot.prepare(caller, parsed);
    await takeScreenshot.find(caller, request); // refuses targets that the key may not capture
    const ms = request.options.timeout * 1000;
    const signals = {
      disconnected: followDisconnection(reply),
      deadline: timeoutSignal(ms, timedOut),
      deadlineAt: performance.now() + ms,
    };
    const taking = takeScreenshot.take(caller, request, signals);
    const { onAnswered } = await withDeadline(taking, ms + takeScreenshot.endingGraceMs, () => Promise.reject(timedOut()));
    onceAnswered(reply, onAnswered);
  } catch (error) {
    if (await undo()) throw error;
    // What failed is the capture after the sign-in.
    if ((await pageSessions.read(caller, name)).signedInAt === null) throw error;
  }
  await confirm();
  return await pageSessions.read(caller, name);
}
