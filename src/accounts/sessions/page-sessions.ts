/** Page sessions: encrypted browser states, saved under a name, that let captures start signed in. */

import { v7 } from "uuid";
import type { Database, Queries } from "../../database/database.ts";
import { AppError, wrongParameter } from "../../shared/errors.ts";
import type { Seal } from "../../shared/seal.ts";
import { hostsOf, isForHost, type StorageState } from "../../shared/storage-state.ts";
import { type Caller, type Owner, ownerOf } from "../keys/caller.ts";
import { assertNotPublic } from "../keys/restrictions.ts";
import { record } from "../people/audit.ts";

/** Excludes the state, which is never returned. */
export interface PageSession {
  /** UUIDv7. */
  id: string;
  name: string;
  /** Incremented with each saved state. */
  version: number;
  /** See `hostsOf`. */
  hosts: string[];
  createdAt: Date;
  updatedAt: Date;
  /** Accurate to a minute. */
  lastUsedAt: Date | null;
}

/**
 * Domain-restricted keys are refused with `domain_not_allowed`. Target-restricted keys only have access to the sessions that they saved.
 */
export interface PageSessions {
  /**
   * Saves a state under a new name, or replaces the one with this name.
   * @param queries records the change under its actor.
   * @throws {AppError} `session_limit_reached`; `invalid_parameters` if a session of another key has the name.
   */
  save(queries: Database, caller: Caller, name: string, state: StorageState): Promise<PageSession>;
  /** Newest first. @param before cursor: only sessions older than this id. */
  list(caller: Caller, page: { limit: number; before?: string | undefined }): Promise<PageSession[]>;
  /** @throws {AppError} `not_found`. */
  read(caller: Caller, name: string): Promise<PageSession>;
  /** @param queries the same as for `save`. @throws {AppError} `not_found`. */
  remove(queries: Database, caller: Caller, name: string): Promise<void>;
  /** Returns the version of the session's current state. @throws {AppError} `invalid_parameters` unless it exists and is for the target. */
  versionFor(caller: Caller, name: string, target: URL): Promise<string>;
  /** @throws {AppError} the same as `versionFor`, if the session of any request can't be used. */
  assertUsable(caller: Caller, requests: { options: { session?: string | undefined }; target: URL }[]): Promise<void>;
  /**
   * The session's state, for a capture. `save` replaces it, unless the session has been changed or deleted since.
   * @throws {AppError} `invalid_parameters` if it doesn't exist or can't be decrypted; `domain_not_allowed`.
   */
  open(caller: Caller, name: string): Promise<{ state: StorageState; hosts: string[]; save(state: StorageState): Promise<boolean> }>;
}

const columns = `id, name, version, hosts, created_at as "createdAt", updated_at as "updatedAt", last_used_at as "lastUsedAt"`;
const isOwned = "user_id = $1 and ($2::uuid is null or key_id = $2)";

/** @param sessionsMax per account. */
export function createPageSessions(database: Database, seal: Seal, sessionsMax: number): PageSessions {
  return {
    ...createUse(database, seal),
    save: (queries, caller, name, state) =>
      queries.transaction(async (transaction) => {
        const owner = ownerAllowed(caller);
        await transaction.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`page sessions ${owner.userId}`]);
        const existing = await idOf(transaction, owner, name);
        if (existing === undefined) await assertMore(transaction, owner.userId, sessionsMax);
        const id = existing ?? v7();
        const { rows } = await transaction.query<PageSession>(
          `insert into page_sessions (id, user_id, key_id, name, hosts, sealed) values ($1, $2, $3, $4, $5, $6)
           on conflict (id) do update set key_id = excluded.key_id, hosts = excluded.hosts, sealed = excluded.sealed,
                                          version = page_sessions.version + 1, updated_at = now()
           returning ${columns}`,
          [id, owner.userId, caller.id, name, hostsOf(state), seal.close(JSON.stringify(state), sealedFor(owner, id))],
        );
        const action = existing === undefined ? "session.created" : "session.changed";
        await record(transaction, { action, accountId: owner.userId, subject: name, subjectId: id });
        return rows[0] as PageSession;
      }),

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

function createUse(database: Database, seal: Seal): Pick<PageSessions, "versionFor" | "assertUsable" | "open"> {
  return {
    async versionFor(caller, name, target) {
      const [{ id, version } = { id: "", version: 0 }] = await usable(database, caller, [{ name, target }]);
      return `${id} ${version}`;
    },

    async assertUsable(caller, requests) {
      const uses = requests.flatMap(({ options, target }) => (options.session === undefined ? [] : [{ name: options.session, target }]));
      if (uses.length > 0) await usable(database, caller, uses);
    },

    async open(caller, name) {
      const owner = ownerAllowed(caller);
      const { rows } = await database.query<{ id: string; version: number; hosts: string[]; sealed: Buffer }>(
        `with used as (update page_sessions set last_used_at = now()
                        where ${isOwned} and name = $3 and (last_used_at is null or last_used_at < now() - interval '1 minute'))
         select id, version, hosts, sealed from page_sessions where ${isOwned} and name = $3`,
        [owner.userId, owner.keyId ?? null, name],
      );
      if (!rows[0]) throw unusable(`is ${name}, which is not a session of the account`);
      const { id, hosts, sealed } = rows[0];
      const text = seal.open(sealed, sealedFor(owner, id));
      if (text === undefined) throw unusable(`is ${name}, which can't be decrypted because AUTH_SECRET was changed: save it again`);
      let { version } = rows[0];
      const save = async (state: StorageState) => {
        const { rowCount } = await database.query(
          "update page_sessions set sealed = $3, version = version + 1, updated_at = now() where id = $1 and version = $2",
          [id, version, seal.close(JSON.stringify(state), sealedFor(owner, id))],
        );
        version += 1;
        return rowCount === 1;
      };
      return { state: JSON.parse(text), hosts, save };
    },
  };
}

interface Use {
  name: string;
  target: URL;
}

/** The sessions of `uses`, in no particular order. @throws {AppError} unless each exists and is for its target. */
async function usable(database: Database, caller: Caller, uses: Use[]): Promise<PageSession[]> {
  const { userId, keyId } = ownerAllowed(caller);
  const { rows } = await database.query<PageSession>({
    name: "find_page_sessions",
    text: `select ${columns} from page_sessions where ${isOwned} and name = any($3)`,
    values: [userId, keyId ?? null, [...new Set(uses.map(({ name }) => name))]],
  });
  const found = new Map(rows.map((row) => [row.name, row]));
  for (const { name, target } of uses) {
    const session = found.get(name);
    if (!session) throw unusable(`is ${name}, which is not a session of the account`);
    if (!isForHost(session.hosts, target.hostname))
      throw unusable(`is ${name}, which is not for ${target.hostname}, only for ${session.hosts.join(", ").slice(0, 300)}`);
  }
  return rows;
}

function ownerAllowed(caller: Caller): Owner {
  assertNotPublic(caller, "can't be used for sessions");
  return ownerOf(caller);
}

const sealedFor = ({ userId }: Owner, id: string) => `${userId} ${id}`;

/** The id of the session with this name, if there is one. @throws {AppError} `invalid_parameters` if it isn't the owner's. */
async function idOf(transaction: Queries, { userId, keyId }: Owner, name: string): Promise<string | undefined> {
  const { rows } = await transaction.query<{ id: string; key: string | null }>(
    "select id, key_id as key from page_sessions where user_id = $1 and name = $2",
    [userId, name],
  );
  if (rows[0] && keyId !== undefined && rows[0].key !== keyId) throw wrongParameter("name", "belongs to a session of another key");
  return rows[0]?.id;
}

async function assertMore(transaction: Queries, userId: string, max: number): Promise<void> {
  const { rows } = await transaction.query<{ count: number }>("select count(*)::integer as count from page_sessions where user_id = $1", [
    userId,
  ]);
  if ((rows[0]?.count ?? 0) >= max)
    throw new AppError("session_limit_reached", { message: `The account already has ${max} sessions, the maximum.` });
}

const unusable = (problem: string) => wrongParameter("session", problem, "the name of a session of the account");
