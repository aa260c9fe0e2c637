/** Settings for the dashboard and sign-in. */

import { z } from "zod";
import { optionalText, port } from "./types.ts";

export const dashboardSettings = {
  WEB_SERVER_URL: optionalText().meta({
    description: "URL at which the dashboard reaches this API; required by the dashboard. Captured pages can't reach it.",
  }),
  WEB_HOST: z.string().min(1).default("localhost").meta({
    description:
      "Host name of the dashboard's server as the API resolves it, to keep captured pages away from it. The address that the server listens on is `WEB_LISTEN_HOST`.",
  }),
  WEB_PORT: port(3001).meta({ description: "Port of the dashboard's server." }),
  WEB_IDP_CLIENT_ID: optionalText().meta({
    description: "Client ID at the external identity provider; if empty, sign-in through a provider is not offered.",
  }),
  WEB_IDP_ISSUER: z
    .string()
    .regex(/^https?:\/\/\S+$/)
    .default("https://accounts.google.com")
    .meta({ valid: "an http or https URL", description: "OpenID Connect issuer URL of the identity provider." }),
  WEB_IDP_CLIENT_SECRET: optionalText().meta({
    secret: true,
    description: "Client secret at the identity provider; empty for a public client.",
  }),
  WEB_PUBLIC_URL: z
    .string()
    .regex(/^https?:\/\/[^/?#\s]+\/?$/)
    .default("http://localhost:3001")
    .meta({
      valid: "an http or https URL without a path",
      description:
        "Public URL of the dashboard. Changes to accounts are accepted only from this origin. Captured pages can't reach it unless its address is public.",
    }),
};
