/** Page sessions: named, encrypted browser states that let captures start signed in. */

import { v7 } from "uuid";
import type { Database } from "../../database/database.ts";
import { AppError, wrongParameter } from "../../shared/errors.ts";
import type { Seal } from "../../shared/seal.ts";
import type { SignInPlan } from "../../shared/sign-in-plan.ts";
import { hostsOf, type StorageState } from "../../shared/storage-state.ts";
import type { Caller } from "../keys/caller.ts";
import { record } from "../people/audit.ts";
import { createUse, type SessionUse } from "./open-session.ts";
import { columns, isOwned, lockName, ownerAllowed, type PageSession, sealedFor } from "./page-session.ts";
import { createPlanSeal } from "./requested-sign-in.ts";

/**
 * Domain-restricted keys are refused with `domain_not_allowed`. Target-restricted keys have access only to the sessions that they saved.
 */
export interface PageSessions extends SessionUse {
  /**
   * Saves the state as a session with this name, replacing any existing one.
   * @param queries supplies the actor for the audit log.
   * @throws {AppError} `session_limit_reached`; `invalid_parameters` if the name belongs to another key; `invalid_api_key` if the account
   *   was deleted.
   */
  save(queries: Database, caller: Caller, name: string, state: StorageState): Promise<PageSession>;
  /** Newest first. @param before cursor: only sessions older than this id. */
  list(caller: Caller, page: { limit: number; before?: string | undefined }): Promise<PageSession[]>;
  /** @throws {AppError} `not_found`. */
  read(caller: Caller, name: string): Promise<PageSession>;
  /** @param queries supplies the actor for the audit log. @throws {AppError} `not_found`. */
  remove(queries: Database, caller: Caller, name: string): Promise<void>;
  /**
   * Checks in advance whether a sign-in may save the session. @throws {AppError} `session_limit_reached`; `invalid_parameters` if the name
   * belongs to another key; `invalid_api_key` if the account was deleted.
   */
  assertSavable(caller: Caller, name: string): Promise<void>;
  /**
   * The session's saved sign-in steps. @throws {AppError} `not_found`; `invalid_parameters` if there are none, or they can't be decrypted.
   */
  planOf(caller: Caller, name: string): Promise<SignInPlan>;
}

/** @param sessionsMax maximum number of sessions per account. */
export function createPageSessions(database: Database, seal: Seal, sessionsMax: number): PageSessions {
  return {
    ...createUse(database, seal, sessionsMax),
    save: createSave(seal, sessionsMax),

    async assertSavable(caller, name) {
      await database.transaction((transaction) => lockName(transaction, ownerAllowed(caller), name, sessionsMax));
    },

    async planOf(caller, name) {
      const owner = ownerAllowed(caller);
      const { rows } = await database.query<{ id: string; signIn: Buffer | null }>(
        `select id, sign_in as "signIn" from page_sessions where ${isOwned} and name = $3`,
        [owner.userId, owner.keyId ?? null, name],
      );
      const [found] = rows;
      if (!found) throw new AppError("not_found");
      const plan = found.signIn && createPlanSeal(seal).open(found.signIn, owner, found.id);
      if (found.signIn === null) throw unusable(name, "has no sign-in steps: save a new state");
      if (!plan) throw unusable(name, "can't be decrypted because AUTH_SECRET was changed: save it again");
      return plan;
    },

    async list(caller, { limit, before }) {
      const { userId, keyId } = ownerAllowed(caller);
      const { rows } = await database.query<PageSession>(
        `select ${columns} from page_sessions where ${isOwned} and ($3::uuid is null or id < $3) order by id desc limit $4`,
        [userId, keyId ?? null, before ?? null, limit],
      );
      return rows;
    },

    async read(caller, name) {
      const { userId, keyId } = ownerAllowed(caller);
      const { rows } = await database.query<PageSession>(`select ${columns} from page_sessions where ${isOwned} and name = $3`, [
        userId,
        keyId ?? null,
        name,
      ]);
      if (!rows[0]) throw new AppError("not_found");
      return rows[0];
    },

    remove: (queries, caller, name) =>
      queries.transaction(async (transaction) => {
        const { userId, keyId } = ownerAllowed(caller);
        const { rows } = await transaction.query<{ id: string }>(`delete from page_sessions where ${isOwned} and name = $3 returning id`, [
          userId,
          keyId ?? null,
          name,
        ]);
        if (!rows[0]) throw new AppError("not_found");
        await record(transaction, { action: "session.deleted", accountId: userId, subject: name, subjectId: rows[0].id });
      }),
  };
}

const unusable = (name: string, why: string) => wrongParameter("name", `refers to the session ${name}, which ${why}`);

function createSave(seal: Seal, sessionsMax: number): PageSessions["save"] {
  return (queries, caller, name, state) =>
    queries.transaction(async (transaction) => {
      const owner = ownerAllowed(caller);
      const existing = await lockName(transaction, owner, name, sessionsMax);
      const id = existing ?? v7();
      const { rows } = await transaction.query<PageSession>(
        `insert into page_sessions (id, user_id, key_id, name, hosts, sealed, is_restricted) values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (id) do update set key_id = excluded.key_id, is_restricted = excluded.is_restricted, hosts = excluded.hosts, sealed = excluded.sealed,
                                        version = page_sessions.version + 1, updated_at = now(), sign_in = null, signed_in_at = null,
                                        sign_in_error = null, sign_in_until = null, sign_ins = 0
         returning ${columns}`,
        [
          id,
          owner.userId,
          caller.id,
          name,
          hostsOf(state),
          seal.close(JSON.stringify(state), sealedFor(owner, id)),
          owner.keyId !== undefined,
        ],
      );
      const action = existing === undefined ? "session.created" : "session.changed";
      await record(transaction, { action, accountId: owner.userId, subject: name, subjectId: id });
      return rows[0] as PageSession;
    });
}
