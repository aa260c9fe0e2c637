/** Settings of keys and rate limits, captures and Chromium. */

import { z } from "zod";
import { integer, optionalText } from "./types.ts";

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
    description: "Requests per window for keys whose plan sets no limit, and for IP addresses that send unknown keys.",
  }),
};

export const captureSettings = {
  MAX_CONCURRENT_SCREENSHOTS: integer(1, 200).optional().meta({
    description:
      "Maximum number of concurrent captures. Each has its own browser (about 110 MB), started on demand. Unless set: 4 per processor core, but at most one per 256 MB of memory.",
  }),
  MAX_QUEUED_SCREENSHOTS: integer(0, 10_000).optional().meta({
    description: "Maximum number of captures that wait for a browser; further requests get a 429. Unless set: 8 per concurrent capture.",
  }),
  SCREENSHOT_TIMEOUT: integer(1000, 90_000).default(30_000).meta({
    unit: "milliseconds",
    description: "Maximum duration of a capture, including the wait for a browser.",
  }),
  MAX_BROWSER_MEMORY_MB: integer(256, 65_536).default(1536).meta({
    unit: "MB",
    description: "Memory limit of a browser with all its processes; a capture that exceeds it fails.",
  }),
  MAX_PAGE_LOAD_TIMEOUT: integer(1000, 90_000).default(30_000).meta({
    unit: "milliseconds",
    description: "Maximum time for a page to load.",
  }),
  MAX_SCREENSHOT_WIDTH: integer(1, 16_384).default(3840).meta({ description: "Maximum `width`, in CSS pixels." }),
  MAX_SCREENSHOT_HEIGHT: integer(1, 16_384).default(2160).meta({ description: "Maximum `height`, in CSS pixels." }),
  MAX_FULL_PAGE_HEIGHT: integer(1, 100_000).default(30_000).meta({
    description: "Maximum height of a full-page screenshot, in CSS pixels; the rest is cut off.",
  }),
  DEFAULT_VIEWPORT_WIDTH: z
    .int()
    .min(1)
    .default(1280)
    .meta({ valid: "an integer from 1 to MAX_SCREENSHOT_WIDTH", description: "Default `width`, in CSS pixels." }),
  DEFAULT_VIEWPORT_HEIGHT: z
    .int()
    .min(1)
    .default(720)
    .meta({ valid: "an integer from 1 to MAX_SCREENSHOT_HEIGHT", description: "Default `height`, in CSS pixels." }),
  DEFAULT_QUALITY: integer(1, 100).default(80).meta({ description: "Default `quality`." }),
};

export const chromiumSettings = {
  PUPPETEER_EXECUTABLE_PATH: optionalText().meta({
    description: "Path of the Chromium executable; if empty, an installed one is used, preferably headless shell.",
  }),
  CHROMIUM_SANDBOX: z.boolean().default(true).meta({
    description: "Run Chromium in its sandbox; set `false` only if all captured pages are trusted.",
  }),
  CHROMIUM_WEBGL: z.boolean().default(false).meta({
    description: "Render WebGL in software; that part of Chromium runs outside the sandbox.",
  }),
  EGRESS_ALLOWED_HOSTS: optionalText().meta({
    description:
      "Comma-separated hosts, `host:port` pairs or CIDRs that may be captured although they are private. Names that resolve through `/etc/hosts` only must be listed by name.",
  }),
};
