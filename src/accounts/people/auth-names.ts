/** Names that the sign-in library is configured with: paths, tables and columns. Importing them doesn't load the library. */

import type { BetterAuthOptions } from "better-auth";

export const authPath = "/v1/auth";
/** Header with the client's address, set by our code rather than by the client. */
export const addressHeader = "x-client-ip";
/** Header with an invitation's token, set by our code rather than by the client. */
export const invitationHeader = "x-invitation";
/** The dashboard's sign-in page, which also explains failed sign-ins. */
export const signInPage = "/sign-in";
/** Other pages of the dashboard that e-mails link to. */
export const forgotPasswordPage = "/forgot-password";
export const resetPasswordPage = "/reset-password";
export const confirmEmailPage = "/confirm-email";

const times = { createdAt: "created_at", updatedAt: "updated_at" };

export const authTables = {
  user: {
    modelName: "users",
    fields: { ...times, emailVerified: "email_verified" },
    additionalFields: {
      role: { type: "string", required: false, defaultValue: "user", input: false },
      invitationId: { type: "string", required: false, input: false, returned: false, fieldName: "invitation_id" },
      disabledAt: { type: "date", required: false, input: false, fieldName: "disabled_at" },
    },
  },
  session: {
    modelName: "sessions",
    fields: { ...times, userId: "user_id", expiresAt: "expires_at", ipAddress: "ip_address", userAgent: "user_agent" },
  },
  account: {
    modelName: "identities",
    fields: {
      ...times,
      userId: "user_id",
      providerId: "provider_id",
      accountId: "account_id",
      accessToken: "access_token",
      refreshToken: "refresh_token",
      idToken: "id_token",
      accessTokenExpiresAt: "access_token_expires_at",
      refreshTokenExpiresAt: "refresh_token_expires_at",
    },
  },
  verification: { modelName: "verifications", fields: { ...times, expiresAt: "expires_at" } },
} as const satisfies BetterAuthOptions;
