/** Destinations: an account's own buckets, each saved under a name with its encrypted access key. */

import { v7 } from "uuid";
import type { Database, Queries } from "../../database/database.ts";
import { AppError, existing, wrongParameter } from "../../shared/errors.ts";
import type { Seal } from "../../shared/seal.ts";
import type { AccessKey, BucketAddress } from "../../storage/bucket.ts";
import type { AssertWebhookUrl } from "../../webhooks/addresses.ts";
import { type Caller, ownerOf } from "../keys/caller.ts";
import { assertNotPublic } from "../keys/restrictions.ts";
import { record } from "../people/audit.ts";

/** Excludes the access key, which is never returned. */
export interface Destination extends BucketAddress {
  /** UUIDv7. */
  id: string;
  name: string;
  template: string;
  createdAt: Date;
  updatedAt: Date;
  /** Time of the latest successful copy or test. */
  copiedAt: Date | null;
  /** Why the latest copy or test failed, as a sentence; null if it succeeded, or if there has been none since the destination was saved. */
  error: string | null;
  errorAt: Date | null;
  /**
   * Whether copying is paused, because too many copies in a row have failed or the server responded with 410 Gone. The owner can resume it
   * directly or by running a successful test.
   */
  isPaused: boolean;
}

export interface NewDestination extends BucketAddress, AccessKey {
  name: string;
  template: string;
}

/** Keys that are restricted to targets may use destinations but not manage them; keys that are restricted to domains may do neither. */
export interface Destinations {
  /**
   * Creates the destination, or replaces the one with the same name. Pending copies go to the new bucket.
   * @param queries supplies the actor for the audit log.
   * @throws {AppError} `destination_limit_reached`; `invalid_parameters` if the endpoint isn't a URL that the service may connect to;
   *   `domain_not_allowed`, `target_not_allowed`.
   */
  save(queries: Database, caller: Caller, destination: NewDestination, signal: AbortSignal): Promise<Destination>;
  /** Newest first; at most `destinationsMax`. @throws {AppError} `domain_not_allowed`, `target_not_allowed`. */
  list(caller: Caller): Promise<Destination[]>;
  /** @throws {AppError} `not_found`; `domain_not_allowed`, `target_not_allowed`. */
  read(caller: Caller, name: string): Promise<Destination>;
  /**
   * Deletes a destination and its access key. Its pending copies fail.
   * @param queries supplies the actor for the audit log.
   * @throws {AppError} `not_found`; `domain_not_allowed`, `target_not_allowed`.
   */
  remove(queries: Database, caller: Caller, name: string): Promise<void>;
  /** @throws {AppError} `invalid_parameters` if a request names a destination that the account doesn't have; `domain_not_allowed`. */
  assertUsable(caller: Caller, requests: readonly { options: { destination?: string | undefined } }[]): Promise<void>;
}

/** Maximum number per account. */
const destinationsMax = 20;

const columns = `d.id, d.name, d.endpoint, d.bucket, d.region, d.path_style as "pathStyle", d.template, d.created_at as "createdAt",
  d.updated_at as "updatedAt", d.copied_at as "copiedAt", d.error, d.error_at as "errorAt",
  exists (select from webhook_addresses a where a.user_id = d.user_id and a.url = d.endpoint || '/' || d.bucket
                                             and a.paused_at is not null) as "isPaused"`;

/** Binds the encrypted access key to its account and destination. */
export const sealedFor = (userId: string, id: string) => `${userId} ${id}`;

interface Parts {
  database: Database;
  seal: Seal;
  /** Validates an endpoint as it would a webhook URL. */
  assertUrl: AssertWebhookUrl;
}

export function createDestinations({ database, ...parts }: Parts): Destinations {
  const saveAs = createSave(parts);
  const find = async (userId: string, name?: string) => {
    const { rows } = await database.query<Destination>(
      `select ${columns} from destinations d where d.user_id = $1 and ($2::text is null or d.name = $2) order by d.id desc limit $3`,
      [userId, name ?? null, destinationsMax],
    );
    return rows;
  };
  return {
    async save(queries, caller, destination, signal) {
      const userId = managerOf(caller);
      await saveAs(queries, userId, destination, signal);
      return existing((await find(userId, destination.name))[0]);
    },

    list: async (caller) => await find(managerOf(caller)),
    read: async (caller, name) => existing((await find(managerOf(caller), name))[0]),

    remove: (queries, caller, name) =>
      queries.transaction(async (transaction) => {
        const userId = managerOf(caller);
        const { rows } = await transaction.query<{ id: string }>("delete from destinations where user_id = $1 and name = $2 returning id", [
          userId,
          name,
        ]);
        const { id } = existing(rows[0]);
        await record(transaction, { action: "destination.deleted", accountId: userId, subject: name, subjectId: id });
      }),

    async assertUsable(caller, requests) {
      const names = [...new Set(requests.flatMap(({ options }) => options.destination ?? []))];
      if (names.length === 0) return;
      assertNotPublic(caller, "can't be used for destinations");
      const { rows } = await database.query<{ name: string }>("select name from destinations where user_id = $1 and name = any($2)", [
        caller.userId,
        names,
      ]);
      const missing = names.find((name) => !rows.some((row) => row.name === name));
      if (missing !== undefined)
        throw wrongParameter(
          "destination",
          `refers to ${missing}, but the account has no destination with this name`,
          "the name of one of the account's destinations",
        );
    },
  };
}

function createSave({ seal, assertUrl }: Omit<Parts, "database">) {
  return async (
    queries: Database,
    userId: string,
    { name, bucket, region, pathStyle, template, ...given }: NewDestination,
    signal: AbortSignal,
  ): Promise<void> => {
    const url = await assertUrl(given.endpoint, signal, "endpoint");
    if (!pathStyle) await assertUrl(hostOf(url, bucket), signal, "bucket");
    const endpoint = url.endsWith("/") ? url.slice(0, -1) : url;
    const { accessKeyId, secretAccessKey } = given;
    await queries.transaction(async (transaction) => {
      const earlier = await lockName(transaction, userId, name);
      const id = earlier ?? v7();
      const sealed = seal.close(JSON.stringify({ accessKeyId, secretAccessKey }), sealedFor(userId, id));
      await transaction.query(
        `insert into destinations (id, user_id, name, endpoint, bucket, region, path_style, template, sealed)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         on conflict (id) do update
           set endpoint = excluded.endpoint, bucket = excluded.bucket, region = excluded.region, path_style = excluded.path_style,
               template = excluded.template, sealed = excluded.sealed, updated_at = now(), error = null, error_at = null`,
        [id, userId, name, endpoint, bucket, region, pathStyle, template, sealed],
      );
      const action = earlier === undefined ? "destination.created" : "destination.changed";
      await record(transaction, { action, accountId: userId, subject: name, subjectId: id });
    });
  };
}

/** @returns the account's id. @throws {AppError} `domain_not_allowed`, `target_not_allowed`. */
export function managerOf(caller: Caller): string {
  assertNotPublic(caller, "can't be used for destinations");
  const { userId, keyId } = ownerOf(caller);
  if (keyId === undefined) return userId;
  throw new AppError("target_not_allowed", { message: "The API key is restricted to certain targets, so it can't manage destinations." });
}

/** The URL for virtual-hosted-style requests, which have the bucket in the host name. */
function hostOf(endpoint: string, bucket: string): string {
  const url = new URL(endpoint);
  url.hostname = `${bucket}.${url.hostname}`;
  return url.href;
}

/**
 * Locks the names of the account's destinations. @returns the id of the destination with this name, if any. @throws {AppError}
 * `destination_limit_reached`.
 */
async function lockName(transaction: Queries, userId: string, name: string): Promise<string | undefined> {
  await transaction.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`destinations ${userId}`]);
  const { rows } = await transaction.query<{ id: string; name: string }>("select id, name from destinations where user_id = $1", [userId]);
  const earlier = rows.find((row) => row.name === name);
  if (!earlier && rows.length >= destinationsMax)
    throw new AppError("destination_limit_reached", { message: `The account already has ${destinationsMax} destinations, the maximum.` });
  return earlier?.id;
}
