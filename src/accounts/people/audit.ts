/** The audit log: who changed which accounts, keys, plans, invitations, webhooks, sessions, destinations and sign-in settings. */

import { isDeepStrictEqual } from "node:util";
import { v7 } from "uuid";
import { type Actor, type Database, jsonbText, type Queries } from "../../database/database.ts";

/** The part before the dot is the kind of change. */
export const auditActions = [
  "account.created",
  "account.renamed",
  "account.role_changed",
  "account.disabled",
  "account.enabled",
  "account.deleted",
  "sign_in.password_changed",
  "sign_in.password_reset",
  "sign_in.reset_link_created",
  "sign_in.address_confirmed",
  "sign_in.app_added",
  "sign_in.app_removed",
  "sign_in.recovery_codes_renewed",
  "sign_in.passkey_added",
  "sign_in.passkey_removed",
  "sign_in.second_factor_reset",
  "key.created",
  "key.changed",
  "key.rotated",
  "key.revoked",
  "plan.assigned",
  "plan.changed",
  "invitation.created",
  "invitation.revoked",
  "webhook.secret_shown",
  "webhook.secret_rotated",
  "webhook.resumed",
  "session.created",
  "session.changed",
  "session.updated",
  "session.signed_in",
  "session.deleted",
  "destination.created",
  "destination.changed",
  "destination.deleted",
] as const;
export const auditKinds = ["account", "sign_in", "key", "plan", "invitation", "webhook", "session", "destination"] as const;

export interface Change {
  field: string;
  from: unknown;
  to: unknown;
}

export interface NewAuditEntry {
  action: (typeof auditActions)[number];
  /** The account concerned; absent if the change concerns the whole service. */
  accountId?: string | undefined;
  /** Display name of the changed object. */
  subject?: string;
  subjectId?: string;
  changes?: Change[];
}

export interface AuditEntry {
  id: string;
  createdAt: Date;
  action: NewAuditEntry["action"];
  via: Actor["via"];
  actorId: string | null;
  /** Null if there was no user, or the account was deleted. */
  actorEmail: string | null;
  ip: string | null;
  accountId: string | null;
  accountEmail: string | null;
  subject: string | null;
  subjectId: string | null;
  changes: Change[];
}

export interface AuditFilter {
  kind?: (typeof auditKinds)[number] | undefined;
  /** First and last day, `YYYY-MM-DD` in UTC. */
  since?: string | undefined;
  until?: string | undefined;
}

/** Records a change by `queries.actor`. Call it in the change's transaction, or right after the change if the sign-in library made it. */
export async function record(queries: Queries, { action, accountId, subject, subjectId, changes = [] }: NewAuditEntry): Promise<void> {
  const { via, userId, ip } = queries.actor;
  await queries.query(
    `insert into audit_entries (id, action, via, actor_id, ip, account_id, subject, subject_id, changes)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb)`,
    [v7(), action, via, userId, ip, accountId ?? null, subject ?? null, subjectId ?? null, jsonbText(changes)],
  );
}

/** The fields of `after` whose values differ from `before`. */
export function changesOf<Fields extends object>(before: Fields, after: { [Name in keyof Fields]?: Fields[Name] | undefined }): Change[] {
  return (Object.keys(after) as (keyof Fields & string)[])
    .filter((field) => after[field] !== undefined && !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({ field, from: before[field] ?? null, to: after[field] }));
}

/**
 * Removes the names that a deleted account had chosen for itself and for its keys, passkeys, webhooks, sessions and destinations. Action,
 * time and IP address remain.
 */
export async function removeNames(queries: Queries, userId: string): Promise<void> {
  await queries.query(
    "update audit_entries set subject = null, changes = '[]' where account_id = $1 and split_part(action, '.', 1) in ('account', 'key', 'sign_in', 'webhook', 'session', 'destination')",
    [userId],
  );
}

const columns = `a.id, a.created_at as "createdAt", a.action, a.via, a.actor_id as "actorId", a.ip, a.account_id as "accountId", a.subject,
  a.subject_id as "subjectId", a.changes, case when actor.deleted_at is null then actor.email end as "actorEmail",
  case when account.deleted_at is null then account.email end as "accountEmail"`;

interface Page extends AuditFilter {
  /** Only entries that concern this account. */
  accountId?: string | undefined;
  /** Only entries about or by this user. */
  userId?: string | undefined;
  /** Cursor: id of the last entry on the previous page. */
  before?: string | undefined;
  limit: number;
}

/** Maximum length of the changes of a page, in bytes. One entry has up to 50 KB: two lists of 50 hosts, before and after. */
const pageBytesMax = 500_000;

/** Newest first: ids sort by time. Fewer than `limit` if they are very long together. `next` is the cursor for the following ones. */
export async function listAudit(
  database: Database,
  { accountId, userId, kind, since, until, before, limit }: Page,
): Promise<{ entries: AuditEntry[]; next: string | null }> {
  const { rows } = await database.query<AuditEntry & { found: number }>(
    `select ${columns}, a.found::integer
       from (select a.*, sum(a.bytes) over (order by a.id desc) - a.bytes as preceding, count(*) over () as found
               from (select a.*, octet_length(a.changes::text) as bytes from audit_entries a
                      where ($1::uuid is null or a.account_id = $1)
                        and ($2::uuid is null or a.account_id = $2 or a.actor_id = $2)
                        and ($3::text is null or split_part(a.action, '.', 1) = $3)
                        and ($4::date is null or a.created_at >= $4::date::timestamp at time zone 'UTC')
                        and ($5::date is null or a.created_at < ($5::date + 1)::timestamp at time zone 'UTC')
                        and ($6::uuid is null or a.id < $6)
                      order by a.id desc limit $7 + 1) a) a
       left join users actor on actor.id = a.actor_id left join users account on account.id = a.account_id
      where a.preceding < ${pageBytesMax}
      order by a.id desc limit $7`,
    [accountId ?? null, userId ?? null, kind ?? null, since ?? null, until ?? null, before ?? null, limit],
  );
  const isMore = (rows[0]?.found ?? 0) > rows.length;
  return { entries: rows.map(({ found, ...entry }) => entry), next: isMore ? (rows.at(-1)?.id ?? null) : null };
}
