/** `/v1/admin/invitations`: one-time sign-up links, for administrators. */

import { z } from "zod";
import * as invitations from "../../accounts/people/invitations.ts";
import { messages } from "../../mail/messages.ts";
import { AppError } from "../../shared/errors.ts";
import { answerFrom, operationsFor } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";
import type { ManagementParts } from "./parts.ts";
import { email, nullableText } from "./schemas.ts";

const declare = operationsFor({ tag: "Administration", access: "admin" });

const dayMs = 86_400_000;

const invitation = z
  .object({
    id: z.uuid(),
    email: nullableText.meta({ description: "The only address that can use the invitation; null if any can." }),
    plan_id: nullableText.meta({ description: "Null for the default plan." }),
    state: z.enum(["pending", "used", "expired", "revoked"]),
    created_by: nullableText.meta({
      description: "E-mail address; null if the invitation was created on the command line, or the account was deleted.",
    }),
    used_by: nullableText.meta({ description: "E-mail address; null if the invitation wasn't used, or the account was deleted." }),
    created_at: z.date(),
    expires_at: z.date(),
  })
  .meta({ schemaName: "Invitation" });

const list = declare.get("/v1/admin/invitations", {
  id: "listInvitations",
  summary: "Invitations",
  description: "All pending invitations, and the hundred newest of any state; newest first.",
  answer: z.object({ invitations: z.array(invitation) }),
});

const create = declare.post("/v1/admin/invitations", {
  id: "createInvitation",
  summary: "Create an invitation",
  description: "The link is returned only once.",
  body: z.strictObject({
    email: email.optional().meta({ description: "The only address that can use the invitation." }),
    plan_id: z.string().min(1).max(100).optional(),
    expires_in_days: z.int().min(1).max(90).default(7),
  }),
  status: 201,
  answer: z.object({
    invitation,
    link: z.string().meta({ description: "Works once, until it expires." }),
    mailed: z.boolean().meta({ description: "Whether the link is also being e-mailed to the address." }),
  }),
  failures: ["not_possible"],
});

const revoke = declare.delete("/v1/admin/invitations/:id", {
  id: "revokeInvitation",
  summary: "Revoke a pending invitation",
  failures: ["not_found"],
});

export const invitationOperations = [list, create, revoke];

export function invitationRoutes({ accountRoute }: Routes, { config, database, signUp, clock, mailer }: ManagementParts): void {
  accountRoute(list, async () => ({ invitations: (await invitations.listInvitations(database)).map(answerOf) }));

  accountRoute(create, async ({ body }, { userId, actor }) => {
    if (signUp.mode === "closed")
      throw new AppError("not_possible", { message: "Invitations aren't accepted while SIGN_UP is set to closed." });
    const expiresAt = new Date(clock.now() + body.expires_in_days * dayMs);
    const created = { email: body.email, planId: body.plan_id, createdBy: userId, expiresAt };
    const { invitation: made, token } = await invitations.createInvitation(database.as(actor), created);
    const link = invitations.invitationLink(config.WEB_PUBLIC_URL, token);
    if (body.email !== undefined) mailer?.send(body.email, messages.invitation(link, expiresAt));
    return { invitation: answerOf(made), link, mailed: mailer !== undefined && body.email !== undefined };
  });

  accountRoute(revoke, async ({ params }, { actor }) => {
    await invitations.revokeInvitation(database.as(actor), params.id);
  });
}

const answerOf = answerFrom(invitation);
