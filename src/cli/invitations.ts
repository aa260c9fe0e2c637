/** The commands for invitations. */

import { createInvitation, invitationLink, listInvitations, revokeInvitation } from "../accounts/people/invitations.ts";
import { assertAddress } from "../accounts/people/users.ts";
import { AppError } from "../shared/errors.ts";
import { type CliCommand, futureTimeOf, print, say } from "./command.ts";

const defaultDays = 7;
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const invitationCommands: Record<string, CliCommand> = {
  invite: {
    positionals: ["[EMAIL]"],
    options: ["plan", "expires"],
    async run(database, [email], { plan: planId, expires }, readSettings) {
      const { SIGN_UP, WEB_PUBLIC_URL } = await readSettings("SIGN_UP", "WEB_PUBLIC_URL");
      if (SIGN_UP === "closed")
        throw new AppError("not_possible", { message: "Invitations aren't accepted while SIGN_UP is closed; use user:create." });
      if (email !== undefined) assertAddress(email);
      const expiresAt = futureTimeOf(expires) ?? new Date(Date.now() + defaultDays * 86_400_000);
      const { invitation, token } = await createInvitation(database, { email, planId, expiresAt });
      say(`Invitation ${invitation.id} for ${email ?? "anyone who has the link"}; works once, until ${expiresAt.toISOString()}:`);
      print(invitationLink(WEB_PUBLIC_URL, token));
    },
  },
  "invite:list": {
    async run(database) {
      print(["ID", "FOR", "PLAN", "STATE", "USED BY", "EXPIRES"].join("\t"));
      for (const { id, email, planId, state, usedBy, expiresAt } of await listInvitations(database))
        print([id, email ?? "anyone", planId ?? "free", state, usedBy ?? "-", expiresAt.toISOString()].join("\t"));
    },
  },
  "invite:revoke": {
    positionals: ["ID"],
    async run(database, [id = ""]) {
      if (!uuidPattern.test(id)) throw new AppError("not_found", { message: "There is no such invitation; invite:list shows the ids." });
      await revokeInvitation(database, id);
      say(`Revoked the invitation ${id}.`);
    },
  },
};
