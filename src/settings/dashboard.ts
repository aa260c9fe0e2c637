/** Settings for the dashboard, sign-in, sign-up, outgoing mail and billing. */

import { z } from "zod";
import { hostText, httpUrl, isUrl, optionalText, port } from "./types.ts";

export const dashboardSettings = {
  WEB_SERVER_URL: httpUrl().meta({
    description: "URL at which the dashboard reaches this API; required by the dashboard. Captured pages can't reach it.",
  }),
  WEB_HOST: hostText().default("localhost").meta({
    description:
      "Host name of the dashboard's server, as resolved by the API, which keeps captured pages from connecting to it. The address that the server listens on is `WEB_LISTEN_HOST`.",
  }),
  WEB_PORT: port(3001).meta({ description: "Port of the dashboard's server." }),
  WEB_IDP_CLIENT_ID: optionalText().meta({
    description: "Client ID at the external identity provider; if empty, sign-in through a provider is not offered.",
  }),
  WEB_IDP_ISSUER: httpUrl("path", "https://accounts.google.com").meta({
    description: "OpenID Connect issuer URL of the identity provider.",
  }),
  WEB_IDP_CLIENT_SECRET: optionalText().meta({
    secret: true,
    description: "Client secret at the identity provider; empty for a public client.",
  }),
  WEB_PUBLIC_URL: httpUrl("nothing", "http://localhost:3001").meta({
    description:
      "Public URL of the dashboard. Changes to accounts are accepted only from this origin (or, if it is a loopback address, from the other loopback names). Captured pages can't reach it unless its address is public.",
  }),
};

const domain = "@?[a-zA-Z0-9-]+(\\.[a-zA-Z0-9-]+)+";

export const signUpSettings = {
  SIGN_UP: z.enum(["open", "invite", "closed"]).default("invite").meta({
    description:
      "Who can sign up: anyone, only people invited by an administrator, or no one. Accounts can always be created on the command line; `npm run local` sets `open`.",
  }),
  SIGN_UP_DOMAINS: optionalText(new RegExp(`^(\\s*${domain}\\s*(,\\s*${domain}\\s*)*)?$`)).meta({
    isList: true,
    valid: "comma-separated domains, such as example.com",
    description:
      "Comma-separated domains whose e-mail addresses may sign up without an invitation while `SIGN_UP` is `invite`. The address must be verified: by the identity provider or, with `SMTP_URL`, by e-mail. Without e-mail, the addresses of people who sign up with a password are not verified.",
    example: "example.com",
  }),
  REQUIRE_SECOND_FACTOR: z.enum(["nobody", "administrators", "everyone"]).default("nobody").meta({
    description:
      "Who must have an authenticator app as a second factor to use the dashboard. The rule doesn't apply to people without a password, who sign in through the identity provider or with a passkey. API keys are not affected.",
  }),
};

export const mailSettings = {
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/[^\s]+$/)
    .refine(isServerUrl)
    .optional()
    .meta({
      secret: true,
      valid:
        "the URL of a server that begins with smtp:// or smtps://, with special characters in the user name and password percent-encoded, such as # as %23",
      description:
        "Mail server, as `smtps://user:password@host:465`, or `smtp://user:password@host:587?requireTLS=true` for STARTTLS. If empty, no e-mail is sent: addresses are not verified, and users who forget their password need a reset link from an administrator or the command line.",
      example: "smtp://user:password@mail.example.com:587?requireTLS=true",
    }),
  MAIL_FROM: optionalText(/^([^<>@\s][^<>@]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)?$/).meta({
    valid: "an e-mail address, or a name and an address, such as Tintype <noreply@example.com>",
    description: "Sender of e-mails; required with `SMTP_URL`.",
    example: "Tintype <noreply@example.com>",
  }),
};

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
      "Secret of the webhook endpoint `/v1/billing/webhook` at the billing provider. If empty, webhooks are rejected, and changes to a subscription take up to an hour to take effect; a new one may take a day if the buyer doesn't return from the checkout.",
  }),
  BILLING_BASE_URL: httpUrl().meta({
    description: "Base URL of the billing provider's API, which overrides `BILLING_ENVIRONMENT`; for tests.",
  }),
};

/** Whether only a query follows the host: an unencoded special character in a password would end the host early. */
function isServerUrl(text: string): boolean {
  const { hostname = "", pathname = "", search = "", hash = "" } = URL.parse(text) ?? {};
  return isUrl(text) && hostname !== "" && /^\/?$/.test(pathname) && hash === "" && !search.includes("@");
}
