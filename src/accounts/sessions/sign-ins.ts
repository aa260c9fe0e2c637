/**
 * Renews page sessions by performing their saved sign-in steps: one sign-in at a time per session across all processes, and a limited
 * number per hour.
 */

import type { Database, Queries } from "../../database/database.ts";
import { type SignInPlan, stepsOf, withoutSecrets } from "../../shared/sign-in-plan.ts";
import { hostsOf, type StorageState } from "../../shared/storage-state.ts";
import { record } from "../people/audit.ts";
import type { RequestedSignIn, StoredPlan } from "./requested-sign-in.ts";

/** A page session's sign-in, as performed by a capture. */
export interface SignIn extends Pick<SignInPlan, "url" | "signInHosts"> {
  steps: Record<string, string | number>[];
  /** Whether the capture begins with the sign-in, as requested; otherwise only a sign-in page triggers it. */
  isNeeded: boolean;
  /** Whether the session has no state yet. */
  isFirst: boolean;
  /**
   * Waits while another capture is signing in for this session.
   * @param maxMs total time for waiting and signing in; soon after it has passed, other captures stop waiting for this sign-in.
   * @param pause waits between checks on the other capture's sign-in.
   * @returns `begun`: sign in now, and call `end`; `renewed`: the session has a new state; otherwise why the capture can't sign in, as a
   *   sentence without a period.
   */
  begin(maxMs: number, pause: () => Promise<void>): Promise<"begun" | "renewed" | { refused: string }>;
  /**
   * Saves the state, for its own hosts and `hosts`, or records the failure; an interrupted sign-in doesn't count as failed. Other captures
   * may then sign in, even if the session has been changed in the meantime.
   * @returns why the state was not saved, with the session's secrets removed; undefined if it was saved, or if the sign-in was interrupted.
   */
  end(outcome: { state: StorageState; hosts: string[] } | { failure: string } | "interrupted"): Promise<string | undefined>;
}

interface Row {
  id: string;
  version: number;
  name: string;
}

/**
 * Enough for applications whose sessions last ten minutes, and few enough that a wrong password is unlikely to lock the account.
 */
export const signInsPerHour = 6;
const errorLengthMax = 500;
/** Time allowed for recording how a sign-in ended. */
const endedWithinMs = 3_000;

interface Saved {
  row: Row;
  plan: StoredPlan;
  /** Encrypts a state. */
  close: (state: StorageState) => Buffer;
  /** Encrypts a plan. */
  closePlan: (plan: StoredPlan) => Buffer;
}

/**
 * A saved session's sign-in. @param database supplies the actor for the audit log. @param requested set if a caller requested the sign-in.
 */
export function signInOf(database: Database, userId: string, saved: Saved, requested?: RequestedSignIn): SignIn {
  const { row, plan, close, closePlan } = saved;
  const { id, version, name } = row;
  let claimed: string | undefined;
  return {
    ...forSteps(plan),
    isNeeded: requested !== undefined && plan.requestId !== requested.id,
    isFirst: false,
    async begin(maxMs, pause) {
      const endsAt = performance.now() + maxMs;
      for (let hasWaited = false; ; hasWaited = true) {
        const now = await stateOf(database, id);
        if (!now) return { refused: "the session has been deleted" };
        if (now.version !== version) return "renewed";
        if (hasWaited && !now.isRunning && now.error) return { refused: now.error };
        const leftMs = endsAt - performance.now();
        if (leftMs <= 0) return { refused: now.isRunning ? stillRunning : noTime }; // `maxMs` excludes the time reserved for the capture
        if (!now.isRunning) {
          claimed = await claim(database, row, leftMs + endedWithinMs);
          if (claimed) return "begun";
          if (now.isSpent) return { refused: tooOften };
        }
        await pause();
      }
    },
    end: (outcome) =>
      database.transaction(async (transaction) => {
        if (outcome === "interrupted") return await release(transaction, id, claimed);
        if ("failure" in outcome) {
          const failure = safeReason(plan, outcome.failure);
          const failed = `update page_sessions set sign_in_until = null, sign_in_error = case when version = $2 then $3 else sign_in_error end
                           where id = $1 and sign_in_until = $4`;
          await transaction.query(failed, [id, version, failure, claimed]);
          return failure;
        }
        const { state, hosts } = outcome;
        const { rowCount } = await transaction.query(
          `update page_sessions set sealed = $3, hosts = $4, version = version + 1, updated_at = now(), signed_in_at = now(),
                                    sign_in_error = null, sign_in_until = null, sign_in = coalesce($5, sign_in)
            where id = $1 and version = $2`,
          [
            ...[id, version, close(state), [...new Set([...hostsOf(state), ...hosts])].sort()],
            requested ? closePlan({ ...plan, requestId: requested.id }) : null,
          ],
        );
        if (rowCount === 1) {
          await record(transaction, { action: "session.signed_in", accountId: userId, subject: name, subjectId: id });
          return undefined;
        }
        await release(transaction, id, claimed);
        return "the session was changed or deleted during the sign-in";
      }),
  };
}

/** Lets other captures sign in. @param claimed see `claim`. */
async function release(transaction: Queries, id: string, claimed: string | undefined): Promise<undefined> {
  await transaction.query("update page_sessions set sign_in_until = null where id = $1 and sign_in_until = $2", [id, claimed]);
}

/** A sign-in whose plan isn't saved yet. @param save saves the plan together with the state. */
export function firstSignIn(plan: SignInPlan, save: (state: StorageState, hosts: string[]) => Promise<void>): SignIn {
  return {
    ...forSteps(plan),
    isNeeded: true,
    isFirst: true,
    begin: async (maxMs) => (maxMs > 0 ? "begun" : { refused: noTime }),
    async end(outcome) {
      if (outcome === "interrupted") return undefined;
      if ("failure" in outcome) return safeReason(plan, outcome.failure);
      await save(outcome.state, outcome.hosts);
      return undefined;
    },
  };
}

function forSteps(plan: SignInPlan): Pick<SignIn, "url" | "steps" | "signInHosts"> {
  return { url: plan.url, steps: stepsOf(plan), signInHosts: plan.signInHosts };
}

const noTime = "there was no time left";
const stillRunning = "another capture was still signing in";
const tooOften = `the limit of ${signInsPerHour} sign-in attempts within an hour has been reached`;

/** Removes secrets, and characters that PostgreSQL can't store. Never throws, because the failure must be recorded no matter what. */
function safeReason(plan: SignInPlan, failure: string): string {
  try {
    return withoutSecrets(plan, failure).replaceAll("\0", "").slice(0, errorLengthMax);
  } catch {
    return "the reason can't be shown";
  }
}

/**
 * @returns an identifier for this sign-in: the time by which it will have ended, to the microsecond. Undefined if another sign-in is
 *   running, the limit is reached, or the session has changed.
 */
async function claim(database: Database, { id, version }: Row, maxMs: number): Promise<string | undefined> {
  const { rows } = await database.query<{ until: string }>(
    `update page_sessions set sign_in_until = clock_timestamp() + $3 * interval '1 millisecond', sign_in_error = null,
            sign_ins = case when sign_ins_since > now() - interval '1 hour' then sign_ins + 1 else 1 end,
            sign_ins_since = case when sign_ins_since > now() - interval '1 hour' then sign_ins_since else now() end
      where id = $1 and version = $2 and (sign_in_until is null or sign_in_until < now())
        and (sign_ins < $4 or sign_ins_since is null or sign_ins_since <= now() - interval '1 hour')
      returning sign_in_until::text as until`,
    [id, version, Math.ceil(maxMs), signInsPerHour],
  );
  return rows[0]?.until;
}

async function stateOf(database: Database, id: string) {
  const { rows } = await database.query<{ version: number; error: string | null; isRunning: boolean; isSpent: boolean }>(
    `select version, sign_in_error as error, coalesce(sign_in_until > now(), false) as "isRunning",
            coalesce(sign_ins >= $2 and sign_ins_since > now() - interval '1 hour', false) as "isSpent"
       from page_sessions where id = $1`,
    [id, signInsPerHour],
  );
  return rows[0];
}
