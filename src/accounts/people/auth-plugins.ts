/** Configures the sign-in library's second factors: authenticator apps (TOTP) and passkeys. */

import { passkey } from "@better-auth/passkey";
import { APIError } from "better-auth";
import { twoFactor } from "better-auth/plugins/two-factor";
import { lockedSeconds } from "./auth-refusals.ts";

/**
 * Maps the plugin to our tables. An account is locked for 15 minutes after ten consecutive wrong codes, no matter which IP addresses they
 * come from.
 */
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
 * A passkey replaces both password and code, so it must itself provide two factors: the device, and the PIN, fingerprint or face that
 * unlocks it. The library requests user verification but doesn't enforce it; the hooks below do.
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
