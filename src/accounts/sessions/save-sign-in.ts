/** Saves a page session's sign-in steps. If the sign-in fails, the previous session is restored. */

import { v7 } from "uuid";
import type { Database, Queries } from "../../database/database.ts";
import { wrongParameter } from "../../shared/errors.ts";
import type { Seal } from "../../shared/seal.ts";
import type { SignInPlan } from "../../shared/sign-in-plan.ts";
import type { Caller } from "../keys/caller.ts";
import { record } from "../people/audit.ts";
import { ownerAllowed, place, sealedFor } from "./page-session.ts";

export type SaveSignIn = (
  queries: Database,
  caller: Caller,
  name: string,
  plan: SignInPlan,
) => Promise<{ confirm(): Promise<void>; undo(): Promise<boolean> }>;

const nothing = JSON.stringify({ cookies: [], origins: [] });

/** @param sessionsMax per account. */
export function createSaveSignIn(seal: Seal, sessionsMax: number): SaveSignIn {
  return async (queries, caller, name, plan) => {
    const owner = ownerAllowed(caller);
    const saved = await queries.transaction(async (transaction) => {
      const existing = await place(transaction, owner, name, sessionsMax);
      if (existing !== undefined) await assertConfirmed(transaction, existing);
      const id = existing ?? v7();
      const before = existing === undefined ? undefined : await read(transaction, id);
      const { rows } = await transaction.query<{ version: number }>(
        `insert into page_sessions (id, user_id, key_id, name, hosts, is_restricted, sealed, sign_in) values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (id) do update set key_id = excluded.key_id, is_restricted = excluded.is_restricted, hosts = excluded.hosts, sign_in = excluded.sign_in, signed_in_at = null,
                                        sign_in_error = null, sign_in_until = null, sign_ins = 0,
                                        version = page_sessions.version + 1, updated_at = now()
         returning version`,
        [
          ...[id, owner.userId, caller.id, name, [new URL(plan.url).hostname], owner.keyId !== undefined],
          seal.close(nothing, sealedFor(owner, id)),
          seal.close(JSON.stringify(plan), `${sealedFor(owner, id)} sign-in`),
        ],
      );
      return { id, before, version: rows[0]?.version ?? 0 };
    });
    const { id, before, version } = saved;
    return {
      confirm: async () => {
        const action = before ? "session.changed" : "session.created";
        await record(queries, { action, accountId: owner.userId, subject: name, subjectId: id });
      },
      undo: async () => {
        if (before) return await restore(queries, id, version, before);
        const { rowCount } = await queries.query("delete from page_sessions where id = $1 and version = $2", [id, version]);
        return rowCount === 1;
      },
    };
  };
}

/**
 * Two sign-ins that both fail could not restore the session: the later one would restore the steps of the earlier one. A process may
 * have ended before it could confirm or undo; five minutes are longer than a sign-in takes.
 * @throws {AppError} `invalid_parameters`.
 */
async function assertConfirmed(transaction: Queries, id: string): Promise<void> {
  const { rows } = await transaction.query(
    `select from page_sessions
      where id = $1 and sign_in is not null and signed_in_at is null and updated_at > now() - interval '5 minutes'`,
    [id],
  );
  if (rows.length > 0) throw wrongParameter("name", "belongs to a session that is signing in at the moment: wait until it has");
}

const kept = ["key_id", "is_restricted", "hosts", "sign_in", "signed_in_at", "sign_in_error", "sign_ins", "sign_ins_since", "updated_at"];

type Before = Record<string, unknown>;

async function read(transaction: Queries, id: string): Promise<Before> {
  const { rows } = await transaction.query<Before>(`select ${kept.join(", ")} from page_sessions where id = $1`, [id]);
  return rows[0] ?? {};
}

/** The version is still incremented, because it identifies a state. */
async function restore(queries: Queries, id: string, version: number, before: Before): Promise<boolean> {
  const assignments = kept.map((column, index) => `${column} = $${index + 3}`);
  const { rowCount } = await queries.query(
    `update page_sessions set ${assignments.join(", ")}, version = version + 1, sign_in_until = null where id = $1 and version = $2`,
    [id, version, ...kept.map((column) => before[column])],
  );
  return rowCount === 1;
}
