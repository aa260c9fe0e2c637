/** Billing settings. */

import { z } from "zod";
import { optionalText } from "./types.ts";

export const billingSettings = {
  BILLING_ACCESS_TOKEN: optionalText().meta({
    secret: true,
    description: "Organization access token of the billing provider, Polar; if empty, the operator assigns plans.",
  }),
  BILLING_ENVIRONMENT: z
    .enum(["sandbox", "production"])
    .default("sandbox")
    .meta({ description: "Environment of the billing provider that the token belongs to." }),
  BILLING_WEBHOOK_SECRET: optionalText().meta({
    secret: true,
    description:
      "Secret of the webhook endpoint `/v1/billing/webhook` at the billing provider. Without it, webhooks are rejected, and changes take up to an hour to take effect.",
  }),
  BILLING_BASE_URL: optionalText().meta({
    description: "Base URL of the billing provider's API, overrides `BILLING_ENVIRONMENT`; for tests.",
  }),
};
