/** The second factor of password sign-ins: codes from an authenticator app, and recovery codes in case it is lost. */

import type { Database } from "../../database/database.ts";
import { isUniqueViolation } from "../../database/violations.ts";
import { AppError } from "../../shared/errors.ts";
import { authHeaders, type NewSession, type Visitor } from "./auth-calls.ts";
import { checkCode } from "./code-check.ts";
import type { CallLibrary } from "./recovery.ts";
import { codeStepOf } from "./step-cookies.ts";

export interface SecondFactor {
  /**
   * `code`: from the app, or a recovery code, which works once. @throws {AppError} `invalid_parameters`, `rate_limited`, `sign_in_expired`.
   */
  finishSignIn(visitor: Visitor, code: string): Promise<NewSession>;
  /**
   * Has no effect until confirmed with a code. `uri` is for the app: `otpauth://…`. @throws {AppError} `invalid_parameters`,
   * `not_possible`.
   */
  startApp(visitor: Visitor, password: string): Promise<{ uri: string; recoveryCodes: string[] }>;
  /** Returns cookies. @throws {AppError} `invalid_parameters`, `not_possible`. */
  confirmApp(visitor: Visitor, confirmation: { userId: string; code: string }): Promise<string[]>;
  /** Returns cookies. @throws {AppError} `invalid_parameters`. */
  removeApp(visitor: Visitor, password: string): Promise<string[]>;
  /** Invalidates the existing codes. @throws {AppError} `invalid_parameters`, `not_possible`. */
  renewRecoveryCodes(visitor: Visitor, password: string): Promise<string[]>;
}

export function createSecondFactor(call: CallLibrary, database: Database): SecondFactor {
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
      const start = () => call((api) => api.enableTwoFactor({ body: { password, method: "totp" }, headers: authHeaders(visitor) }));
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
      const { headers } = await call((api) =>
        api.disableTwoFactor({ body: { password }, headers: authHeaders(visitor), returnHeaders: true }),
      );
      return headers.getSetCookie();
    },

    async renewRecoveryCodes(visitor, password) {
      return (await call((api) => api.generateBackupCodes({ body: { password }, headers: authHeaders(visitor) }))).backupCodes;
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
