/** Flows that use links sent by e-mail: confirming an address, and choosing a new password. */

import type { Database } from "../../database/database.ts";
import { AppError } from "../../shared/errors.ts";
import type { Auth } from "./auth.ts";
import { authHeaders, type Visitor } from "./auth-calls.ts";
import { assertPassword } from "./passwords.ts";

export interface Recovery {
  /** Whether mail is configured; otherwise operators create the links. */
  hasMail: boolean;
  /**
   * E-mails a link for choosing a new password. Behaves identically for an address without an account. @throws {AppError} `not_possible` if
   * mail isn't configured.
   */
  forgotPassword(visitor: Visitor, email: string): Promise<void>;
  /** Sets a new password, whose length the caller has checked, and ends all sessions. @throws {AppError} `link_invalid`. */
  resetPassword(visitor: Visitor, reset: { token: string; password: string }): Promise<void>;
  /**
   * Doesn't sign the user in: the link may be opened on another device.
   * @param confirmation.password the account's password: proves that the person who opened the e-mail is the one who signed up.
   * @throws {AppError} `link_invalid`; `invalid_parameters` for a wrong password.
   */
  confirmEmail(visitor: Visitor, confirmation: { token: string; password: string }): Promise<void>;
  /**
   * E-mails another confirmation link to the signed-in user. @throws {AppError} `not_possible` if mail isn't configured, or if the address
   * is already confirmed.
   */
  sendConfirmation(visitor: Visitor, email: string): Promise<void>;
}

/** Calls the sign-in library. @throws {AppError} if the library refuses the call; `unavailable` if the database is down. */
export type CallLibrary = <T>(run: (api: Auth["api"]) => Promise<T>) => Promise<T>;

/** For calls that make or check a password's hash: like `CallLibrary`, once it is the turn of the visitor's address. */
export type CallInTurn = <T>(visitor: Visitor, run: (api: Auth["api"]) => Promise<T>) => Promise<T>;

/** Both ways to call the library. */
export interface Calls {
  call: CallLibrary;
  callInTurn: CallInTurn;
}

/** @param secret signs the tokens in links that confirm an address. */
export function createRecovery(
  { call, callInTurn }: Calls,
  database: Database,
  { secret, mail }: { secret: string; mail?: unknown },
): Recovery {
  const hasMail = mail !== undefined;
  const assertMail = () => {
    if (!hasMail) throw new AppError("not_possible", { message: "This service doesn't send e-mail. Ask its administrator." });
  };
  return {
    hasMail,
    async forgotPassword(visitor, email) {
      assertMail();
      await call((api) => api.requestPasswordReset({ body: { email }, headers: authHeaders(visitor) }));
    },
    async resetPassword(visitor, { token, password }) {
      await callInTurn(visitor, (api) => api.resetPassword({ body: { token, newPassword: password }, headers: authHeaders(visitor) }));
    },
    async confirmEmail(visitor, { token, password }) {
      const { verifyJWT } = await import("better-auth/crypto");
      const claims = await verifyJWT<{ email?: string }>(token, secret); // null if the token is invalid, which `verifyEmail` reports
      const { rows } = await database.query<{ id: string }>("select id from users where email = $1", [claims?.email ?? ""]);
      if (rows[0]) await assertPassword(database, visitor, rows[0].id, password, "password");
      await call((api) => api.verifyEmail({ query: { token }, headers: authHeaders({ ...visitor, cookie: undefined }) }));
    },
    async sendConfirmation(visitor, email) {
      assertMail();
      await call((api) => api.sendVerificationEmail({ body: { email }, headers: authHeaders(visitor) }));
    },
  };
}
