/** The second factor of password sign-ins: codes from an authenticator app, and recovery codes in case the app is lost. */

import { createHash } from "node:crypto";
import type { Database } from "../../database/database.ts";
import { isUniqueViolation } from "../../database/violations.ts";
import { AppError, wrongParameter } from "../../shared/errors.ts";
import { record } from "./audit.ts";
import { authHeaders, codeStepOf, type NewSession, type Visitor } from "./auth-calls.ts";
import type { Calls } from "./recovery.ts";
import { findUser } from "./users.ts";

export interface SecondFactor {
  /**
   * @param code from the app, or a one-time recovery code.
   * @throws {AppError} `invalid_parameters`, `rate_limited`, `sign_in_expired`.
   */
  finishSignIn(visitor: Visitor, code: string): Promise<NewSession>;
  /**
   * Has no effect until confirmed with a code. `uri` is for the app: `otpauth://…`. @throws {AppError} `invalid_parameters`,
   * `not_possible`.
   */
  startApp(visitor: Visitor, password: string): Promise<{ uri: string; recoveryCodes: string[] }>;
  /** Returns cookies for the response. @throws {AppError} `invalid_parameters`, `not_possible`. */
  confirmApp(visitor: Visitor, confirmation: { userId: string; code: string }): Promise<string[]>;
  /** Returns cookies for the response. @throws {AppError} `invalid_parameters`. */
  removeApp(visitor: Visitor, password: string): Promise<string[]>;
  /** Invalidates the existing codes. @throws {AppError} `invalid_parameters`, `not_possible`. */
  renewRecoveryCodes(visitor: Visitor, password: string): Promise<string[]>;
}

export function createSecondFactor({ call, callInTurn }: Calls, database: Database): SecondFactor {
  return {
    async finishSignIn(visitor, given) {
      const { code, isRecovery } = parseCode(given);
      const userId = await userOfStep(database, codeStepOf(visitor));
      const request = { body: { code }, headers: authHeaders(visitor), returnHeaders: true } as const;
      const { headers, response } = await call((api) =>
        checkCode(database, { userId, code }, () => (isRecovery ? api.verifyBackupCode(request) : api.verifyTOTP(request))),
      );
      return { userId: response.user.id, setCookie: headers.getSetCookie() };
    },

    async startApp(visitor, password) {
      const start = () =>
        callInTurn(visitor, (api) => api.enableTwoFactor({ body: { password, method: "totp" }, headers: authHeaders(visitor) }));
      const made = await start().catch((error) => {
        if (!isUniqueViolation(error)) throw error;
        return start(); // replaces a setup that a concurrent request has started
      });
      if (made.method !== "totp") throw new Error("the library didn't create a secret");
      return { uri: made.totpURI, recoveryCodes: made.backupCodes };
    },

    async confirmApp(visitor, { userId, code: given }) {
      const { code } = parseCode(given);
      const request = { body: { code }, headers: authHeaders(visitor), returnHeaders: true } as const;
      const { headers } = await call((api) => checkCode(database, { userId, code }, () => api.verifyTOTP(request)));
      return headers.getSetCookie();
    },

    async removeApp(visitor, password) {
      const { headers } = await callInTurn(visitor, (api) =>
        api.disableTwoFactor({ body: { password }, headers: authHeaders(visitor), returnHeaders: true }),
      );
      return headers.getSetCookie();
    },

    async renewRecoveryCodes(visitor, password) {
      return (await callInTurn(visitor, (api) => api.generateBackupCodes({ body: { password }, headers: authHeaders(visitor) })))
        .backupCodes;
    },
  };
}

/** The user whose sign-in is waiting for a code. @throws {AppError} `sign_in_expired`. */
async function userOfStep(database: Database, step: string): Promise<string> {
  const { rows } = await database.query<{ value: string }>("select value from verifications where identifier = $1 and expires_at > now()", [
    step,
  ]);
  if (!rows[0]) throw new AppError("sign_in_expired");
  return rows[0].value;
}

/** People type spaces, and leave out the hyphen in recovery codes. */
function parseCode(given: string): { code: string; isRecovery: boolean } {
  const text = given.replace(/\s/g, "");
  const recovery = /^([a-z0-9]{5})-?([a-z0-9]{5})$/i.exec(text);
  return recovery ? { code: `${recovery[1]}-${recovery[2]}`, isRecovery: true } : { code: text, isRecovery: false };
}

/** Longer than the 90 s for which an app's code works: the library also accepts the previous and the next code. */
const rememberedSeconds = 120;

/**
 * Runs `check` unless the code has already been accepted, or another code for the same user is being checked on any replica. The number of
 * wrong codes is read before a check and incremented after it, so concurrent checks could exceed the limit. They are refused rather than
 * queued, because each would hold a connection.
 * @throws {AppError} `invalid_parameters`, `rate_limited`. @throws anything that `check` throws.
 */
async function checkCode<T>(database: Database, { userId, code }: { userId: string; code: string }, check: () => Promise<T>): Promise<T> {
  const used = createHash("sha256").update(`used code:${userId}:${code}`).digest("base64url");
  return await database.transaction(async (transaction) => {
    const { rows } = await transaction.query<{ locked: boolean }>("select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked", [
      `second factor of ${userId}`,
    ]);
    if (!rows[0]?.locked)
      throw new AppError("rate_limited", { message: "Another code is being checked; try again in a second.", retryAfterSeconds: 1 });
    const { rowCount } = await transaction.query("select 1 from verifications where identifier = $1 and expires_at > now()", [used]);
    if (rowCount !== 0) throw wrongParameter("code", "has already been used; use the next one");
    const result = await check();
    await transaction.query("insert into verifications (identifier, value, expires_at) values ($1, '', now() + $2 * interval '1 second')", [
      used,
      rememberedSeconds,
    ]);
    return result;
  });
}

/** Who must have a second factor: `REQUIRE_SECOND_FACTOR`. */
export type SecondFactorRule = "nobody" | "administrators" | "everyone";

/**
 * Whether the user must set up a second factor before anything else. For users without a password, the identity provider's rules apply
 * instead.
 */
export async function lacksSecondFactor(
  database: Database,
  rule: SecondFactorRule,
  user: { id: string; isAdmin: boolean; hasSecondFactor: boolean },
): Promise<boolean> {
  const applies = rule === "everyone" || (rule === "administrators" && user.isAdmin);
  if (!applies || user.hasSecondFactor) return false;
  const { rowCount } = await database.query("select 1 from identities where user_id = $1 and password is not null", [user.id]);
  return rowCount === 1;
}

/**
 * For a user who lost the app and the recovery codes: removes the app, the codes and all passkeys, and ends all sessions. @throws
 * {AppError} `not_found`.
 */
export async function resetSecondFactor(database: Database, address: string): Promise<void> {
  await database.transaction(async (transaction) => {
    const { id } = await findUser(transaction, address);
    await transaction.query(
      `with app_gone as (delete from two_factors where user_id = $1),
            passkeys_gone as (delete from passkeys where user_id = $1),
            sessions_gone as (delete from sessions where user_id = $1)
       update users set two_factor_enabled = false, updated_at = now() where id = $1`,
      [id],
    );
    await record(transaction, { action: "sign_in.second_factor_reset", accountId: id });
  });
}
