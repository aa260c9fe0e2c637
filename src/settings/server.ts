/** Settings for the API server. */

import { z } from "zod";
import { integer, optionalText, port } from "./types.ts";

export const serverSettings = {
  NODE_ENV: z
    .enum(["development", "production"])
    .meta({ description: "Mode of operation; use `production` for any public or shared instance.", example: "production" }),
  ROLE: z.enum(["all", "api", "worker"]).default("all").meta({
    description:
      "Role of the process: `api` serves requests and has no browsers; `worker` has browsers, runs captures and webhooks, and serves only `/health` and metrics; `all` does both. Processes of different roles share the database, Redis and object storage.",
  }),
  PORT: port(3000).meta({ description: "Port of the API." }),
  HOST: z.string().min(1).default("0.0.0.0").meta({ description: "Address that the API and the metrics listen on." }),
  AUTH_SECRET: z.string().min(32).meta({
    secret: true,
    description:
      "At least 32 characters. Signs sessions and image links; the signing secrets of keys are derived from it, and those of webhooks are encrypted with it. Generate one with `openssl rand -hex 32`.",
  }),
  PUBLIC_URL: optionalText(/^(https?:\/\/[^?#@\s]+)?$/).meta({
    valid: "an http or https URL without query, fragment or user name",
    description:
      "Public URL of the API, used for links in responses. Without it, links use the request's `Host`, or `WEB_PUBLIC_URL` for requests forwarded by the dashboard.",
    example: "https://screenshots.example.com",
  }),
  TRUST_PROXY: optionalText().meta({
    description:
      "Comma-separated addresses or CIDRs of reverse proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` headers are trusted; if empty, none are trusted. The proxies must set both headers.",
  }),
  MAX_REQUEST_BODY_MB: integer(1, 64).default(4).meta({
    unit: "MB",
    description: "Maximum size of a capture request's body. JSON takes more space than the text that it contains.",
  }),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info")
    .meta({ description: "Minimum log level." }),
  ENABLE_METRICS: z.boolean().default(true).meta({ description: "Serve Prometheus metrics at `/metrics` on `METRICS_PORT`." }),
  METRICS_PORT: port(9090).meta({ description: "Port of the metrics server; don't expose it to the public internet." }),
};
