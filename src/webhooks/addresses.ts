/** Counts failed deliveries per address; pauses and resumes addresses. */

import type { Database, Queries } from "../database/database.ts";
import { AppError, existing, wrongParameter } from "../shared/errors.ts";
import type { VetTarget } from "../shared/open-connection.ts";
import { parseUrl } from "../shared/urls.ts";

export interface PausedAddress {
  id: string;
  url: string;
  pausedAt: Date;
  /** A sentence for the owner. */
  reason: string;
}

/** Number of consecutive failed deliveries after which an address is paused. */
const failuresMax = 20;

interface Target {
  userId: string;
  url: string;
}

/** Resets the failure count. Called in the transaction that marks a delivery as delivered. */
export async function recordArrival(transaction: Queries, { userId, url }: Target): Promise<void> {
  await transaction.query("update webhook_addresses set failures = 0 where user_id = $1 and url = $2 and failures > 0", [userId, url]);
}

/** Counts a failure. Called in the transaction that marks a delivery as failed. @param kind `gone` pauses the address immediately. */
export async function recordFailure(transaction: Queries, { userId, url }: Target, kind: "counted" | "gone"): Promise<void> {
  await transaction.query(
    `insert into webhook_addresses as a (user_id, url, failures) values ($1, $2, 1)
     on conflict (user_id, url) do update set failures = a.failures + 1`,
    [userId, url],
  );
  await transaction.query(
    `update webhook_addresses set paused_at = now(), reason = $4
      where user_id = $1 and url = $2 and paused_at is null and (failures >= $3 or $5)`,
    [
      userId,
      url,
      failuresMax,
      kind === "gone" ? "It responded with 410 Gone." : `${failuresMax} deliveries in a row failed.`,
      kind === "gone",
    ],
  );
}

/** Most recently paused first, at most 100. */
export async function listPaused(database: Database, userId: string): Promise<PausedAddress[]> {
  const { rows } = await database.query<PausedAddress>(
    `select id, url, paused_at as "pausedAt", reason from webhook_addresses
      where user_id = $1 and paused_at is not null order by paused_at desc, id limit 100`,
    [userId],
  );
  return rows;
}

/** Resumes a destination's address after a successful test. */
export async function resumeUrl(transaction: Queries, { userId, url }: Target): Promise<void> {
  await transaction.query("update webhook_addresses set paused_at = null, reason = null, failures = 0 where user_id = $1 and url = $2", [
    userId,
    url,
  ]);
}

/** Resumes an address, and returns whether it was paused. @throws {AppError} `not_found`. */
export async function resumeAddress(queries: Queries, userId: string, id: string): Promise<{ url: string; wasPaused: boolean }> {
  const { rows } = await queries.query<{ url: string; wasPaused: boolean }>(
    `update webhook_addresses a set paused_at = null, reason = null, failures = 0
       from (select id, paused_at is not null as was from webhook_addresses where id = $1 and user_id = $2 for update) old
      where a.id = old.id returning a.url, old.was as "wasPaused"`,
    [id, userId],
  );
  return existing(rows[0]);
}

/**
 * Validates a URL, and returns it in the form that is stored and requested, without a fragment. Resolves the host, but doesn't connect.
 * @param parameter name of the request's parameter, for the message.
 * @throws {AppError} `invalid_parameters`, stating the problem and the valid values; the signal's reason if it aborts.
 */
export type AssertWebhookUrl = (text: string, signal: AbortSignal, parameter?: string) => Promise<string>;

interface Rules {
  vetTarget: VetTarget;
  /** `WEBHOOK_ALLOW_HTTP`. */
  allowHttp: boolean;
}

const lengthMax = 2048;

export function createAddressCheck({ vetTarget, allowHttp }: Rules): AssertWebhookUrl {
  const allowed = `${allowHttp ? "an http or https" : "an https"} URL of a public server, at most ${lengthMax} characters`;
  return async (text, signal, parameter = "webhook_url") => {
    const refuse = (problem: string) => wrongParameter(parameter, problem, allowed);
    const url = parseUrl(text);
    if (!url) throw refuse("must be an absolute URL");
    if (url.protocol !== "https:" && !(allowHttp && url.protocol === "http:"))
      throw refuse(`must be ${allowHttp ? "http or https" : "https"}`);
    if (url.username !== "" || url.password !== "")
      throw refuse("must not contain a user name or password: check the signature of each request instead");
    url.hash = "";
    if (url.href.length > lengthMax) throw refuse(`must have at most ${lengthMax} characters`);
    try {
      await vetTarget(url, signal);
    } catch (error) {
      const message = error instanceof AppError ? vetMessages[error.code] : undefined;
      throw message === undefined ? error : refuse(message);
    }
    return url.href;
  };
}

const vetMessages: Partial<Record<AppError["code"], string>> = {
  target_blocked: "resolves to an address or port that is not allowed: it is private, belongs to this service, or its port is blocked",
  name_not_resolved: "has a host name that does not resolve to a public address",
};
