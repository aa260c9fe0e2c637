/** Settings for API keys and rate limits. */

import { z } from "zod";
import { integer } from "./types.ts";

export const limitSettings = {
  DEFAULT_API_KEY_PREFIX: z
    .string()
    .max(20)
    .regex(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/)
    .default("ss")
    .meta({
      valid: "at most 20 lower-case letters, digits and underscores, starting with a letter",
      description: "Prefix of new API keys; keys with earlier prefixes stay valid.",
    }),
  RATE_LIMIT_WINDOW_MS: integer(1000, 3_600_000).default(60_000).meta({
    unit: "milliseconds",
    description: "Window of `RATE_LIMIT_MAX_REQUESTS`.",
  }),
  RATE_LIMIT_MAX_REQUESTS: integer(1, 1_000_000).default(100).meta({
    description: "Requests per window for keys whose plan doesn't set a limit, and for IP addresses that send unknown keys.",
  }),
  MAX_SESSIONS: integer(0, 10_000).default(100).meta({
    description: "Maximum number of saved page sessions per account.",
  }),
};
