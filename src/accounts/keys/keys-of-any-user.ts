/** Lists any user's keys, and finds a key by its id, its hint or the key itself. Used by the command line. */

import type { Database } from "../../database/database.ts";
import { AppError } from "../../shared/errors.ts";
import { hashKey, isWellFormedKey } from "./authenticate.ts";
import { keyState, type OwnedKey } from "./store.ts";

interface ListedKey {
  id: string;
  hint: string;
  email: string;
  name: string;
  state: OwnedKey["state"];
  domains: string[];
  targets: string[];
  lastUsedAt: Date | null;
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** One user's keys, or all users' keys, sorted by e-mail address, then oldest first. */
export async function listAllKeys(database: Database, userId?: string): Promise<ListedKey[]> {
  const { rows } = await database.query<ListedKey>(
    `select k.id, k.hint, u.email, k.name, ${keyState}, k.allowed_domains as domains, k.allowed_targets as targets,
            k.last_used_at as "lastUsedAt"
       from api_keys k join users u on u.id = k.user_id
      where $1::uuid is null or k.user_id = $1
      order by u.email, k.created_at`,
    [userId ?? null],
  );
  return rows;
}

/**
 * Finds the one unrevoked key that matches.
 * @param which the key's id, its hint (with `…` or `...`), or the key itself.
 * @throws {AppError} `not_found`; `not_possible` if the key is already revoked, or if several keys have the hint.
 */
export async function findUnrevokedKey(database: Database, which: string): Promise<{ id: string; userId: string; hint: string }> {
  const text = which.trim();
  const [column, value] = uuidPattern.test(text)
    ? ["id", text]
    : isWellFormedKey(text)
      ? ["hash", hashKey(text)]
      : ["hint", text.replace("...", "…")];
  const { rows: keys } = await database.query<{ id: string; userId: string; hint: string; revoked: boolean }>(
    `select id, user_id as "userId", hint, revoked_at is not null as revoked from api_keys where ${column} = $1`,
    [value],
  );
  const active = keys.filter(({ revoked }) => !revoked);
  const [key] = active;
  if (active.length > 1) {
    const ids = active.map(({ id }) => id).join(", ");
    throw new AppError("not_possible", { message: `${active.length} keys match ${active[0]?.hint}; use an id instead: ${ids}.` });
  }
  if (key) return { id: key.id, userId: key.userId, hint: key.hint };
  if (keys[0]) throw new AppError("not_possible", { message: `The key ${keys[0].hint} is already revoked.` });
  throw new AppError("not_found", { message: "Key not found; key:list shows ids and hints." });
}
