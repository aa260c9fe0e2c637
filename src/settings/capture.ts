/** Settings for captures, Chromium and its network access, and the browser endpoint. */

import { z } from "zod";
import { integer, optionalText } from "./types.ts";

export const captureSettings = {
  MAX_CONCURRENT_SCREENSHOTS: integer(1, 200).optional().meta({
    description:
      "Maximum number of concurrent captures. Each has its own browser (about 110 MB), started on demand. By default, 4 per processor core, but at most one per 256 MB of memory.",
  }),
  MAX_CONCURRENT_JOBS: integer(1, 200).optional().meta({
    description:
      "Maximum number of asynchronous captures that run concurrently, out of `MAX_CONCURRENT_SCREENSHOTS`. They start only when a browser is free and no request is waiting for one; with `ROLE=all`, two cores are reserved for each running request. One extra job may run if a caller is waiting for its result; with `ROLE=worker`, only if this limit is below `MAX_CONCURRENT_SCREENSHOTS`. By default, half of `MAX_CONCURRENT_SCREENSHOTS`; all of it with `ROLE=worker`.",
  }),
  MAX_CONCURRENT_JOBS_PER_HOST: integer(1, 200).default(2).meta({
    description:
      "Maximum number of asynchronous captures, including those of batches and watches, that run concurrently against one host (name and port), across all processes. Captures of other hosts are not delayed.",
  }),
  JOB_PAUSE_PER_HOST_MS: integer(0, 300_000).default(1_000).meta({
    unit: "milliseconds",
    description: "Minimum time between the starts of consecutive asynchronous captures of the same host.",
  }),
  MAX_QUEUED_SCREENSHOTS: integer(0, 10_000).optional().meta({
    description: "Maximum number of captures that wait for a browser; further requests get a 429. By default, 8 per concurrent capture.",
  }),
  SCREENSHOT_TIMEOUT: integer(1000, 90_000).default(30_000).meta({
    unit: "milliseconds",
    description: "Maximum duration of a capture, including the wait for a browser.",
  }),
  MAX_BROWSER_MEMORY_MB: integer(256, 65_536).default(1536).meta({
    unit: "MB",
    description: "Memory limit for a browser including all its processes; a capture that exceeds it fails.",
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
    description: "Path of the Chromium executable; if empty, an installed one is used, preferably the headless shell.",
  }),
  CHROMIUM_SANDBOX: z.boolean().default(true).meta({
    description: "Run Chromium in its sandbox; set it to `false` only if all captured pages are trusted.",
  }),
  CHROMIUM_WEBGL: z.boolean().default(false).meta({
    description: "Render WebGL in software. The part of Chromium that does this runs outside the sandbox.",
  }),
  EGRESS_ALLOWED_HOSTS: optionalText().meta({
    isList: true,
    description:
      "Comma-separated hosts, `host:port` pairs or CIDRs that may be captured although they are private, such as `localhost:5173`. With `npm run local`, pass `-- --allow 5173` to allow a port on your own machine. Names that resolve only through `/etc/hosts` must be listed by name.",
  }),
};

export const browserEndpointSettings = {
  CDP_PORT: z.int().min(1).max(65_535).optional().meta({
    valid: "an integer from 1 to 65535",
    description:
      "Port of the browser endpoint, which lends browsers to programs that speak the DevTools protocol. If unset, there is no browser endpoint. Processes with `ROLE=api` have no browsers and don't open it. See docs/browser-endpoint.md.",
  }),
  CDP_MAX_SESSIONS: integer(1, 200).default(4).meta({
    description:
      "Maximum number of browsers lent concurrently, in addition to those for captures. Each uses 110 MB or more, up to `MAX_BROWSER_MEMORY_MB`.",
  }),
  CDP_MAX_SESSIONS_PER_ACCOUNT: integer(1, 200).optional().meta({
    description:
      "Maximum number of browsers lent to one account concurrently. By default, three quarters of `CDP_MAX_SESSIONS`, rounded up.",
  }),
  CDP_MAX_WAIT: integer(0, 300_000).default(20_000).meta({
    unit: "milliseconds",
    description: "Maximum time that a connection waits for a browser while all are lent, before it gets a 429.",
  }),
  CDP_SESSION_TIMEOUT: integer(1000, 14_400_000).default(900_000).meta({
    unit: "milliseconds",
    description: "Maximum duration of one connection to a browser. Programs may set a shorter one with `timeout`.",
  }),
};
