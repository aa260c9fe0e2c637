/** Opens page sessions for captures, and checks whether a capture may use them. */

import type { Database } from "../../database/database.ts";
import { wrongParameter } from "../../shared/errors.ts";
import type { Seal } from "../../shared/seal.ts";
import type { SignInPlan } from "../../shared/sign-in-plan.ts";
import { isForHost, type StorageState } from "../../shared/storage-state.ts";
import type { Caller, Owner } from "../keys/caller.ts";
import { record } from "../people/audit.ts";
import { columns, isOwned, ownerAllowed, type PageSession, sealedFor } from "./page-session.ts";
import { createPlanSeal, type RequestedSignIn, saveConfirmed } from "./requested-sign-in.ts";
import { firstSignIn, type SignIn, signInOf } from "./sign-ins.ts";

export interface SessionUse {
  /**
   * Identifies the session's current state. @throws {AppError} `invalid_parameters` unless the session exists, is for the target's host and
   * may be used by the caller; `domain_not_allowed`.
   */
  versionFor(caller: Caller, name: string, target: URL): Promise<string>;
  /** @throws {AppError} `invalid_parameters` if one of the requests names a session that it can't use; `domain_not_allowed`. */
  assertUsable(caller: Caller, requests: { options: { session?: string | undefined }; target: URL }[]): Promise<void>;
  /**
   * The session's state, for a capture. `save` replaces it, unless the session has since been changed or deleted, or a sign-in is running.
   * @param requested a sign-in that the capture performs; if its plan isn't saved yet, the session is empty.
   * @throws {AppError} `invalid_parameters` if the session doesn't exist, can't be decrypted or may not be used by the caller;
   *   `domain_not_allowed`.
   */
  open(caller: Caller, name: string, requested?: RequestedSignIn): Promise<OpenedSession>;
  /** Whether the sign-in with this request id has already succeeded for the session. @throws {AppError} `domain_not_allowed`. */
  isSignedInBy(caller: Caller, name: string, requestId: string): Promise<boolean>;
}

export interface OpenedSession {
  /** Identifies the state; see `versionFor`. */
  version: string;
  state: StorageState;
  hosts: string[];
  save(state: StorageState): Promise<boolean>;
  /** Undefined if the session has no sign-in steps, or they can't be decrypted. */
  signIn: SignIn | undefined;
}

interface Opened {
  id: string;
  version: number;
  name: string;
  hosts: string[];
  sealed: Buffer;
  signIn: Buffer | null;
  isRestricted: boolean;
}

const versionOf = ({ id, version }: Pick<Opened, "id" | "version">) => `${id} ${version}`;

/** Looks up and opens sessions for captures. @param sessionsMax maximum number of sessions per account. */
export function createUse(database: Database, seal: Seal, sessionsMax: number): SessionUse {
  const plans = createPlanSeal(seal);
  const find = async (owner: Owner, name: string) => {
    const { rows } = await database.query<Opened>(
      `with used as (update page_sessions set last_used_at = now()
                      where ${isOwned} and name = $3 and (last_used_at is null or last_used_at < now() - interval '1 minute'))
       select id, version, name, hosts, sealed, sign_in as "signIn", is_restricted as "isRestricted"
         from page_sessions where ${isOwned} and name = $3`,
      [owner.userId, owner.keyId ?? null, name],
    );
    return rows[0];
  };
  return {
    async versionFor(caller, name, target) {
      const [session = { id: "", version: 0 }] = await usable(database, caller, [{ name, target }]);
      return versionOf(session);
    },

    async assertUsable(caller, requests) {
      const uses = requests.flatMap(({ options, target }) => (options.session === undefined ? [] : [{ name: options.session, target }]));
      if (uses.length > 0) await usable(database, caller, uses);
    },

    async open(caller, name, requested) {
      const owner = ownerAllowed(caller);
      const found = await find(owner, name);
      const plan = found?.signIn ? plans.open(found.signIn, owner, found.id) : undefined;
      const first = requested?.plan;
      if (first && plan?.requestId !== requested.id) {
        const confirmed = { caller, name, plan: { ...first, requestId: requested.id } };
        return notSaved(first, (state, hosts) =>
          saveConfirmed(database.as(requested.actor), seal, sessionsMax, { ...confirmed, state, hosts }),
        );
      }
      if (!found) throw unusable(noSession(name));
      const { id, hosts, sealed } = found;
      assertShared(found, owner);
      const text = seal.open(sealed, sealedFor(owner, id));
      if (text === undefined) throw unusable(`refers to ${name}, which can't be decrypted because AUTH_SECRET was changed: save it again`);
      const close = (state: StorageState) => seal.close(JSON.stringify(state), sealedFor(owner, id));
      let { version } = found;
      const save = async (state: StorageState) => {
        const isSaved = await update(database, { id, version, name, userId: owner.userId, sealed: close(state) });
        version += 1;
        return isSaved;
      };
      const by = requested ? database.as(requested.actor) : database;
      const saved = plan && { row: found, plan, close, closePlan: (changed: typeof plan) => plans.close(changed, owner, id) };
      return {
        version: versionOf(found),
        state: JSON.parse(text),
        hosts,
        save,
        signIn: saved && signInOf(by, owner.userId, saved, requested),
      };
    },

    async isSignedInBy(caller, name, requestId) {
      const owner = ownerAllowed(caller);
      const found = await find(owner, name);
      return found?.signIn ? plans.open(found.signIn, owner, found.id)?.requestId === requestId : false;
    },
  };
}

/** A session before its first sign-in: it is empty, even if an older session with this name is still saved. */
function notSaved(plan: SignInPlan, save: Parameters<typeof firstSignIn>[1]): OpenedSession {
  return { version: "", state: { cookies: [], origins: [] }, hosts: [], save: async () => false, signIn: firstSignIn(plan, save) };
}

interface Update extends Pick<Opened, "id" | "version" | "name" | "sealed"> {
  userId: string;
}

/**
 * Saves a new state. The update is recorded in the audit log at most once an hour, because some pages change their session with every
 * capture. @returns false if the session has been changed or deleted since it was opened, or a sign-in is running.
 */
async function update(database: Database, { id, version, name, userId, sealed }: Update): Promise<boolean> {
  return await database.transaction(async (transaction) => {
    const { rows } = await transaction.query<{ isRecorded: boolean }>(
      `update page_sessions set sealed = $3, version = version + 1, updated_at = now()
        where id = $1 and version = $2 and (sign_in_until is null or sign_in_until < now())
       returning exists (select 1 from audit_entries where subject_id = $4 and action = 'session.updated'
                                                       and account_id = $5 and created_at > now() - interval '1 hour') as "isRecorded"`,
      [id, version, sealed, id, userId],
    );
    if (rows[0]?.isRecorded === false)
      await record(transaction, { action: "session.updated", accountId: userId, subject: name, subjectId: id });
    return rows.length === 1;
  });
}

interface Use {
  name: string;
  target: URL;
}

/**
 * The sessions named in `uses`, in no particular order. @throws {AppError} `invalid_parameters` unless each exists, is for its target's
 * host and may be used by the caller; `domain_not_allowed`.
 */
async function usable(database: Database, caller: Caller, uses: Use[]): Promise<PageSession[]> {
  const { userId, keyId } = ownerAllowed(caller);
  const { rows } = await database.query<PageSession & Pick<Opened, "isRestricted">>({
    name: "find_page_sessions",
    text: `select ${columns}, is_restricted as "isRestricted" from page_sessions where ${isOwned} and name = any($3)`,
    values: [userId, keyId ?? null, [...new Set(uses.map(({ name }) => name))]],
  });
  const found = new Map(rows.map((row) => [row.name, row]));
  for (const { name, target } of uses) {
    const session = found.get(name);
    if (!session) throw unusable(noSession(name));
    assertShared(session, { userId, keyId });
    if (!isForHost(session.hosts, target.hostname))
      throw unusable(`refers to ${name}, which is not for ${target.hostname}, only for ${session.hosts.join(", ").slice(0, 300)}`);
  }
  return rows;
}

/**
 * Keeps unrestricted callers from using a session that a restricted key saved; they may still replace it by saving a session under the same
 * name. @throws {AppError} `invalid_parameters`.
 */
function assertShared({ name, isRestricted }: Pick<Opened, "name" | "isRestricted">, { keyId }: Owner): void {
  if (isRestricted && keyId === undefined) throw unusable(`refers to ${name}, which a restricted key has saved for itself`);
}

const noSession = (name: string) => `refers to ${name}, but there is no such session`;
const unusable = (problem: string) => wrongParameter("session", problem, "the name of one of the account's sessions");
