/** The sign-in library's second factors: codes of an authenticator app, and passkeys. */

import { passkey } from "@better-auth/passkey";
import { APIError } from "better-auth";
import { twoFactor } from "better-auth/plugins/two-factor";
import { lockedSeconds } from "./auth-refusals.ts";

/** Names of our tables and columns. Accounts are locked for 15 minutes after ten wrong codes in a row, whatever address they come from. */
export function authenticatorApp() {
  return twoFactor({
    issuer: "Tintype",
    accountLockout: { enabled: true, maxFailedAttempts: 10, durationSeconds: lockedSeconds },
    schema: {
      user: { fields: { twoFactorEnabled: "two_factor_enabled" } },
      twoFactor: {
        modelName: "two_factors",
        fields: {
          userId: "user_id",
          backupCodes: "backup_codes",
          failedVerificationCount: "failed_verification_count",
          lockedUntil: "locked_until",
        },
      },
    },
  });
}

/**
 * A passkey replaces password and code, so it must be two factors itself: the device, and the PIN, finger or face that unlocks it. The
 * library only asks for that; here it is demanded.
 */
export function passkeys(origin: string) {
  const assertUserVerified = (isVerified: boolean) => {
    if (!isVerified) throw new APIError("BAD_REQUEST", { code: "USER_NOT_VERIFIED", message: "The device did not verify its user." });
  };
  return passkey({
    rpName: "Tintype",
    rpID: new URL(origin).hostname,
    origin,
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    registration: {
      afterVerification: async ({ verification }) => assertUserVerified(verification.registrationInfo?.userVerified === true),
    },
    authentication: {
      afterVerification: async ({ verification }) => assertUserVerified(verification.authenticationInfo.userVerified),
    },
    schema: {
      passkey: {
        modelName: "passkeys",
        fields: {
          userId: "user_id",
          publicKey: "public_key",
          credentialID: "credential_id",
          deviceType: "device_type",
          backedUp: "backed_up",
          createdAt: "created_at",
        },
      },
    },
  });
}
