/** Says whose key it is that a request brings: from memory, else from the database. */

import type pg from "pg";
import type { BaseLogger } from "pino";
import type { Clock } from "../../clock.ts";
import { answerInTime, type DatabaseSettings, isDatabaseAway } from "../../database.ts";
import { AppError } from "../../errors.ts";
import { createKeyCache } from "./cache.ts";
import { listenForKeyChanges } from "./changes.ts";
import { hashKey, isWellFormedKey } from "./format.ts";
import { createKeyUses } from "./uses.ts";

/** Who asks for a picture, and what they may. */
export interface Caller {
  /** The API key; null: a person in the playground, who has none. */
  id: string | null;
  userId: string;
  /** Where the key may be used, in stored form (see domains.ts); empty: anywhere. */
  allowedDomains: string[];
  /** What may be captured, in stored form; empty: everything. */
  allowedTargets: string[];
  /** Requests per minute; null: `RATE_LIMIT_MAX_REQUESTS` per `RATE_LIMIT_WINDOW_MS`. */
  rateLimit: number | null;
  /** Screenshots per quota month; null: unlimited. */
  monthlyQuota: number | null;
  retentionDays: number;
  /** Start of the first quota month; null: calendar months in UTC. */
  anchor: Date | null;
}

export interface ApiKey extends Caller {
  id: string;
  planId: string;
  name: string;
  allowMissingOrigin: boolean;
  /** Whether it takes signed requests only. */
  requireSignature: boolean;
  expiresAt: Date | null;
}

export interface Keys {
  /**
   * @throws {AppError} `invalid_api_key`, in the same words whether the key is malformed, unknown, revoked, disabled or expired;
   * `unavailable` when the database is away and the key wasn't seen in the last ten minutes.
   */
  authenticate(key: string): Promise<ApiKey>;
  /** What was remembered of the user's keys is read anew. Other replicas hear of changes by themselves, this one a moment later. */
  forget(userId: string): void;
  /** Stops listening and writes the last uses; the pool stays open. */
  close(): Promise<void>;
}

/** While the database is away, known keys don't wait for it again before this time has passed. */
const outagePauseMs = 2_000;
/** A key that was known a moment ago waits no longer than this to be read anew. */
const knownKeyTimeoutMs = 1_000;
const retryAfterSeconds = 5;

/**
 * Keys are remembered for a minute, unknown ones for five seconds. A change reaches every replica at once through the channel
 * `accounts`; `listen` says where to connect for that.
 */
export function createKeys({ pool, clock, log, listen }: { pool: pg.Pool; clock: Clock; log: BaseLogger; listen: DatabaseSettings }): Keys {
  const cache = createKeyCache(clock);
  const uses = createKeyUses(pool, clock, log);
  const loading = new Map<string, Promise<ApiKey | null>>();
  let pausedUntilMs = 0;

  function drop(userId: string): void {
    cache.drop(userId);
    // Who asks from now on must not get an answer that was read before the change.
    loading.clear();
  }
  const changes = listenForKeyChanges(listen, log, { onChange: drop, onListening: () => drop("*") });

  function load(id: string, hash: Buffer): Promise<ApiKey | null> {
    const underWay = loading.get(id);
    if (underWay) return underWay;
    const generation = cache.generation();
    const read = findKey(pool, hash)
      .then((key) => {
        cache.store(id, key, generation);
        return key;
      })
      .finally(() => {
        if (loading.get(id) === read) loading.delete(id);
      });
    loading.set(id, read);
    return read;
  }

  async function find(hash: Buffer): Promise<ApiKey | null> {
    const id = hash.toString("base64");
    const fresh = cache.fresh(id) ?? (clock.now() < pausedUntilMs ? cache.stale(id) : undefined);
    if (fresh) return fresh;
    if (cache.isUnknown(id)) return null;
    try {
      return await answerInTime(load(id, hash), cache.stale(id) ? { timeoutMs: knownKeyTimeoutMs } : {});
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      pausedUntilMs = clock.now() + outagePauseMs;
      const stale = cache.stale(id);
      if (stale) return stale;
      throw new AppError("unavailable", { retryAfterSeconds, cause: error });
    }
  }

  return {
    async authenticate(text) {
      const key = isWellFormedKey(text) ? await find(hashKey(text)) : null;
      // Asked at each use: a remembered key expires on time.
      if (!key || (key.expiresAt && key.expiresAt.getTime() <= clock.now())) throw new AppError("invalid_api_key");
      uses.record(key.id);
      return key;
    },
    forget: drop,
    async close() {
      await changes.close();
      await uses.close();
    },
  };
}

/** By the unique index on `hash`. */
async function findKey(pool: pg.Pool, hash: Buffer): Promise<ApiKey | null> {
  const { rows } = await pool.query<ApiKey>({
    name: "find_key",
    text: `select k.id, k.user_id as "userId", p.plan_id as "planId", k.name, k.allowed_domains as "allowedDomains",
                  k.allowed_targets as "allowedTargets", k.allow_missing_origin as "allowMissingOrigin", k.require_signature as "requireSignature",
                  p.rate_limit as "rateLimit", p.monthly_quota as "monthlyQuota", p.retention_days as "retentionDays",
                  p.anchor, k.expires_at as "expiresAt"
             from api_keys k
             join account_plans p on p.user_id = k.user_id
             join users u on u.id = k.user_id
            where k.hash = $1 and k.enabled and k.revoked_at is null and u.disabled_at is null`,
    values: [hash],
  });
  return rows[0] ?? null;
}
