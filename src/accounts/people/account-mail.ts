/** E-mails users about their address and password. */

import { createHash } from "node:crypto";
import type { Redis } from "ioredis";
import type { BaseLogger } from "pino";
import type { Database } from "../../database/database.ts";
import type { Mailer } from "../../mail/mailer.ts";
import { type Message, messages } from "../../mail/messages.ts";
import { createCounter } from "../usage/rate-limit.ts";
import { forgotPasswordPage, signInPage } from "./auth-names.ts";
import { confirmationLink, resetLink } from "./mailed-links.ts";

/** The methods don't reveal whether they sent anything, or what: callers could otherwise find out which addresses have an account. */
export interface AccountMail {
  /** Sends a link that verifies the address. */
  confirmAddress(email: string, token: string): Promise<void>;
  /** Tells the owner of an existing account that somebody tried to sign up with the same address. */
  accountExists(email: string): Promise<void>;
  /**
   * Sends a link for choosing a new password. If the account has no password, sends sign-in instructions instead; if it is disabled, sends
   * nothing.
   */
  resetPassword(user: { id: string; email: string }, token: string): Promise<void>;
}

/** Limit per address, because anyone can trigger mail to any address. */
const perAddress = { mails: 5, seconds: 3600 };

interface Dependencies {
  database: Database;
  redis: Redis;
  mailer: Mailer;
  /** `WEB_PUBLIC_URL`. */
  publicUrl: string;
  log: BaseLogger;
}

export function createAccountMail({ database, redis, mailer, publicUrl, log }: Dependencies): AccountMail {
  const counter = createCounter(redis, "mail:address", perAddress.seconds);
  const page = (path: string) => new URL(path, publicUrl).href;

  async function send(email: string, message: Message): Promise<void> {
    const { consumedPoints } = await counter.consume(createHash("sha256").update(email).digest("base64url"));
    if (consumedPoints <= perAddress.mails) mailer.send(email, message);
    else log.warn({ mail: message.kind }, "e-mail not sent: this address has reached its hourly limit");
  }

  return {
    confirmAddress: (email, token) => send(email, messages.confirmAddress(confirmationLink(publicUrl, token))),
    accountExists: (email) => send(email, messages.accountExists(page(forgotPasswordPage))),
    async resetPassword({ id, email }, token) {
      const { isDisabled, isExternal } = await readState(database, id);
      if (isDisabled) return;
      const message = isExternal ? messages.noPassword(page(signInPage)) : messages.resetPassword(resetLink(publicUrl, token));
      await send(email, message);
    },
  };
}

/** `isExternal`: signs in only through an identity provider, whose checks a password would bypass. */
async function readState(database: Database, userId: string): Promise<{ isDisabled: boolean; isExternal: boolean }> {
  const { rows } = await database.query<{ isDisabled: boolean; isExternal: boolean }>(
    `select u.disabled_at is not null as "isDisabled", count(i.id) > 0 and bool_and(i.password is null) as "isExternal"
       from users u left join identities i on i.user_id = u.id where u.id = $1 group by u.id`,
    [userId],
  );
  return rows[0] ?? { isDisabled: true, isExternal: false };
}
