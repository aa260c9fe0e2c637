/** Invitations: one-time sign-up links. A database trigger claims the invitation of a new account; see migrations/0001-schema.sql. */

import { createHash, randomBytes } from "node:crypto";
import type { Database } from "../../database/database.ts";
import { AppError } from "../../shared/errors.ts";
import { findPlan } from "../usage/plans.ts";
import { record } from "./audit.ts";

export interface Invitation {
  id: string;
  /** Null if anyone who has the link may use it. */
  email: string | null;
  /** Null for the free plan. */
  planId: string | null;
  state: "pending" | "used" | "expired" | "revoked";
  /** The creator's e-mail address; null if the invitation was created on the command line, or if the creator has been deleted. */
  createdBy: string | null;
  /** E-mail address of the account that used the invitation; null if there is none, or if the account has been deleted. */
  usedBy: string | null;
  createdAt: Date;
  expiresAt: Date;
}

export interface NewInvitation {
  email?: string | undefined;
  planId?: string | undefined;
  createdBy?: string;
  expiresAt: Date;
}

const listLimit = 100;
/** Shown in the audit log for an invitation without an address. */
const anyone = "anyone with the link";
const columns = `i.id, i.email, i.plan_id as "planId", i.created_at as "createdAt", i.expires_at as "expiresAt",
  case when c.deleted_at is null then c.email end as "createdBy", case when u.deleted_at is null then u.email end as "usedBy", case when i.used_at is not null then 'used' when i.revoked_at is not null then 'revoked'
                            when i.expires_at <= now() then 'expired' else 'pending' end as state`;
const tables = "from invitations i left join users c on c.id = i.created_by left join users u on u.invitation_id = i.id";

/** The token is returned only here. @throws {AppError} `invalid_parameters` if the plan doesn't exist. */
export async function createInvitation(
  database: Database,
  { email, planId, createdBy, expiresAt }: NewInvitation,
): Promise<{ invitation: Invitation; token: string }> {
  if (planId !== undefined) await findPlan(database, planId);
  const token = randomBytes(24).toString("base64url");
  const address = email?.trim().toLowerCase() ?? null;
  return await database.transaction(async (transaction) => {
    const { rows } = await transaction.query<{ id: string }>(
      "insert into invitations (token_hash, email, plan_id, created_by, expires_at) values ($1, $2, $3, $4, $5) returning id",
      [hashToken(token), address, planId ?? null, createdBy ?? null, expiresAt],
    );
    const { id } = rows[0] as { id: string };
    const plan = planId === undefined ? [] : [{ field: "plan", from: null, to: planId }];
    await record(transaction, { action: "invitation.created", subject: address ?? anyone, subjectId: id, changes: plan });
    const { rows: made } = await transaction.query<Invitation>(`select ${columns} ${tables} where i.id = $1`, [id]);
    return { invitation: made[0] as Invitation, token };
  });
}

/** The 100 newest invitations and all pending ones, except the first account's. */
export async function listInvitations(database: Database): Promise<Invitation[]> {
  const { rows } = await database.query<Invitation>(
    `select ${columns} ${tables}
      where not i.is_first
        and (i.id in (select id from invitations order by created_at desc, id desc limit ${listLimit})
             or (i.used_at is null and i.revoked_at is null and i.expires_at > now()))
      order by i.created_at desc, i.id desc`,
  );
  return rows;
}

/** @throws {AppError} `not_found` unless the invitation is pending. */
export async function revokeInvitation(database: Database, id: string): Promise<void> {
  await database.transaction(async (transaction) => {
    const { rows } = await transaction.query<{ email: string | null }>(
      `update invitations set revoked_at = now()
        where id = $1 and not is_first and used_at is null and revoked_at is null and expires_at > now() returning email`,
      [id],
    );
    if (!rows[0]) throw new AppError("not_found", { message: "There is no pending invitation with this id." });
    await record(transaction, { action: "invitation.revoked", subject: rows[0].email ?? anyone, subjectId: id });
  });
}

export interface ValidInvitation {
  id: string;
  email: string | null;
  planName: string | null;
  isFirst: boolean;
  expiresAt: Date;
}

/**
 * @throws {AppError} `invitation_invalid` if the token is unknown; if the invitation has been used or revoked, or has expired; or if it is
 *   for the first account and there already is one.
 */
export async function findInvitation(database: Database, token: string): Promise<ValidInvitation> {
  const { rows } = await database.query<ValidInvitation>(
    `select i.id, i.email, p.name as "planName", i.is_first as "isFirst", i.expires_at as "expiresAt"
       from invitations i left join plans p on p.id = i.plan_id
      where i.token_hash = $1 and i.used_at is null and i.revoked_at is null and i.expires_at > now()
        and (not i.is_first or not exists (select 1 from users))`,
    [hashToken(token)],
  );
  if (!rows[0]) throw new AppError("invitation_invalid");
  return rows[0];
}

export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** @param publicUrl `WEB_PUBLIC_URL`. */
export function invitationLink(publicUrl: string, token: string): string {
  return `${new URL(publicUrl).origin}/sign-up?${new URLSearchParams({ invitation: token })}`;
}
