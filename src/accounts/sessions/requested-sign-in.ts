/**
 * Sign-ins that callers request explicitly; captures can also trigger sign-ins themselves. Each is passed on in a `TakeRequest`, whose
 * capture begins with the sign-in.
 */

import { v7 } from "uuid";
import type { Actor, Database, Queries } from "../../database/database.ts";
import type { Seal } from "../../shared/seal.ts";
import type { SignInPlan } from "../../shared/sign-in-plan.ts";
import { hostsOf, type StorageState } from "../../shared/storage-state.ts";
import type { Caller } from "../keys/caller.ts";
import { record } from "../people/audit.ts";
import { lockName, ownerAllowed, sealedFor } from "./page-session.ts";

export interface RequestedSignIn {
  /** Unique. Stored with the session once it is signed in, even if the capture then fails. */
  id: string;
  /** New plan, saved together with the state once the sign-in has succeeded; if absent, the session's saved plan is used. */
  plan?: SignInPlan | undefined;
  /** Who requested it. Passed on for the audit log, because the capture may run in another process. */
  actor: Actor;
}

export interface StoredPlan extends SignInPlan {
  /** Id of the latest requested sign-in that used the plan. */
  requestId?: string | undefined;
}

export interface PlanSeal {
  close(plan: StoredPlan, owner: { userId: string }, id: string): Buffer;
  open(sealed: Buffer, owner: { userId: string }, id: string): StoredPlan | undefined;
}

/** Each ciphertext is bound to its account and session. */
export function createPlanSeal(seal: Seal): PlanSeal {
  const boundTo = (owner: { userId: string }, id: string) => `${sealedFor(owner, id)} sign-in`;
  return {
    close: (plan, owner, id) => seal.close(JSON.stringify(plan), boundTo(owner, id)),
    open: (sealed, owner, id) => {
      const text = seal.open(sealed, boundTo(owner, id));
      return text === undefined ? undefined : { signInHosts: [], ...JSON.parse(text) };
    },
  };
}

export interface ConfirmedSignIn {
  caller: Caller;
  name: string;
  plan: StoredPlan;
  state: StorageState;
  /** Hosts in addition to the state's own. */
  hosts: string[];
}

/**
 * Saves a plan with the state from its first sign-in, in one statement, and replaces any session with this name.
 * @param queries supplies the actor for the audit log.
 * @throws {AppError} `domain_not_allowed`, `session_limit_reached`, `invalid_parameters`, `invalid_api_key`.
 */
export async function saveConfirmed(queries: Database, seal: Seal, sessionsMax: number, confirmed: ConfirmedSignIn): Promise<void> {
  const { caller, name, plan, state, hosts } = confirmed;
  const owner = ownerAllowed(caller);
  await queries.transaction(async (transaction) => {
    const existing = await lockName(transaction, owner, name, sessionsMax);
    const id = existing ?? v7();
    await transaction.query(
      `insert into page_sessions (id, user_id, key_id, name, is_restricted, hosts, sealed, sign_in, signed_in_at, sign_ins, sign_ins_since)
       values ($1, $2, $3, $4, $5, $6, $7, $8, now(), 1, now())
       on conflict (id) do update
         set key_id = excluded.key_id, is_restricted = excluded.is_restricted, hosts = excluded.hosts, sealed = excluded.sealed,
             sign_in = excluded.sign_in, signed_in_at = now(), sign_in_error = null, sign_in_until = null,
             sign_ins = 1, sign_ins_since = now(), version = page_sessions.version + 1, updated_at = now()`,
      [
        ...[id, owner.userId, caller.id, name, owner.keyId !== undefined],
        [...new Set([...hostsOf(state), ...hosts])].sort(),
        seal.close(JSON.stringify(state), sealedFor(owner, id)),
        createPlanSeal(seal).close(plan, owner, id),
      ],
    );
    await recordSaved(transaction, existing === undefined, { accountId: owner.userId, subject: name, subjectId: id });
  });
}

async function recordSaved(
  transaction: Queries,
  isNew: boolean,
  about: { accountId: string; subject: string; subjectId: string },
): Promise<void> {
  await record(transaction, { action: isNew ? "session.created" : "session.changed", ...about });
  await record(transaction, { action: "session.signed_in", ...about });
}
