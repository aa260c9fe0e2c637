/** Every setting of the service: one zod schema that validation, types, `.env.example` and `docs/configuration.md` come from. */

import { z } from "zod";

declare module "zod" {
  interface GlobalMeta {
    /** Heading under which the documents list the setting. */
    group?: string;
    /** The value is never written to a log or an error. */
    secret?: boolean;
    /** Value that `.env.example` shows when there is no default. */
    example?: string;
  }
}

const port = (value: number) => z.int().min(1).max(65535).default(value);

export const settings = z.object({
  NODE_ENV: z
    .enum(["development", "production"])
    .meta({ group: "Server", description: "How the service is run: `production` for whatever others use.", example: "production" }),
  PORT: port(3000).meta({ group: "Server", description: "Port of the API." }),
  HOST: z.string().min(1).default("0.0.0.0").meta({ group: "Server", description: "Address that the API and the metrics listen on." }),
  AUTH_SECRET: z.string().min(32).meta({
    group: "Server",
    secret: true,
    description:
      "At least 32 characters; signs sessions and picture links, and the signing secrets of keys come from it. `openssl rand -hex 32` makes one.",
  }),
  PUBLIC_URL: z
    .string()
    .regex(/^(https?:\/\/[^?#@\s]+)?$/)
    .default("")
    .meta({
      group: "Server",
      description:
        "Address at which callers reach the API; links in answers begin with it. Without it they begin with the request's `Host`, and with `WEB_PUBLIC_URL` where the dashboard forwards the request.",
      example: "https://screenshots.example.com",
    }),
  TRUST_PROXY: z.string().default("").meta({
    group: "Server",
    description:
      "Addresses or CIDRs of reverse proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` headers are believed, separated by commas; empty believes none. They must set both themselves.",
  }),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info")
    .meta({ group: "Server", description: "Least level that is logged." }),
  ENABLE_METRICS: z
    .boolean()
    .default(true)
    .meta({ group: "Server", description: "Serve Prometheus metrics at `/metrics` on `METRICS_PORT`." }),
  METRICS_PORT: port(9090).meta({ group: "Server", description: "Port of the metrics; keep it off the public internet." }),

  DATABASE_URL: z.string().default("").meta({
    group: "PostgreSQL",
    secret: true,
    description: "`postgresql://user:password@host:port/name`; any of the five parts below may come from here instead.",
    example: "postgresql://tintype:change-me@localhost:5432/tintype",
  }),
  DATABASE_HOST: z.string().min(1).meta({ group: "PostgreSQL", description: "Host of the database, unless `DATABASE_URL` names it." }),
  DATABASE_PORT: port(5432).meta({ group: "PostgreSQL", description: "Port of the database." }),
  DATABASE_NAME: z.string().min(1).meta({ group: "PostgreSQL", description: "Name of the database, unless `DATABASE_URL` names it." }),
  DATABASE_USER: z.string().min(1).meta({ group: "PostgreSQL", description: "User of the database, unless `DATABASE_URL` names it." }),
  DATABASE_PASSWORD: z
    .string()
    .min(1)
    .meta({ group: "PostgreSQL", secret: true, description: "That user's password, unless `DATABASE_URL` has it." }),

  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\//)
    .meta({
      group: "Redis",
      secret: true,
      valid: "an address that begins with redis:// or rediss://",
      description: "`redis://[[user]:password@]host[:port][/database]`, or `rediss://` for TLS.",
      example: "redis://localhost:6379",
    }),
  REDIS_HOST: z.string().min(1).default("localhost").meta({ group: "Redis", description: "Host of Redis, where `REDIS_URL` names none." }),
  REDIS_PORT: port(6379).meta({ group: "Redis", description: "Port of Redis, where `REDIS_URL` names none." }),
  REDIS_PASSWORD: z
    .string()
    .default("")
    .meta({ group: "Redis", secret: true, description: "Password of Redis, where `REDIS_URL` has none." }),
  REDIS_KEY_PREFIX: z
    .string()
    .regex(/^[\w:.-]{0,64}$/)
    .default("")
    .meta({
      group: "Redis",
      valid: "up to 64 letters, digits and `_ : . -`",
      description: "Prefix of every key in Redis, for a Redis that several installations share. All replicas of one need the same.",
    }),

  STORAGE_URL: z
    .string()
    .regex(/^(https?:\/\/|file:)/)
    .meta({
      group: "Storage",
      valid: "an http or https address, or file:/a/folder",
      description: "Address of the S3-compatible storage, or `file:/a/folder` to keep pictures on this machine's disk.",
      example: "http://localhost:8333",
    }),
  STORAGE_ENDPOINT: z
    .string()
    .regex(/^(https?:\/\/.*)?$/)
    .default("")
    .meta({
      group: "Storage",
      valid: "an http or https address",
      description: "Address that the service itself uses for the storage when it differs from `STORAGE_URL`.",
    }),
  STORAGE_BUCKET: z.string().min(1).meta({
    group: "Storage",
    description: "Bucket of the pictures; made at start when it is missing and the credentials permit it.",
    example: "tintype",
  }),
  STORAGE_REGION: z
    .string()
    .min(1)
    .meta({ group: "Storage", description: "Region of the bucket; `auto` where the storage has none.", example: "auto" }),
  STORAGE_ACCESS_KEY_ID: z
    .string()
    .min(1)
    .meta({ group: "Storage", secret: true, description: "Access key of the storage.", example: "change-me" }),
  STORAGE_SECRET_ACCESS_KEY: z
    .string()
    .min(1)
    .meta({ group: "Storage", secret: true, description: "Secret of that access key.", example: "change-me" }),
  STORAGE_USE_PATH_STYLE_ENDPOINT: z
    .boolean()
    .default(false)
    .meta({ group: "Storage", description: "Put the bucket in the path instead of the host name; most self-hosted storages need `true`." }),
  SCREENSHOT_RETENTION_DAYS: z.int().min(1).max(3650).optional().meta({
    group: "Storage",
    unit: "days",
    description: "Upper bound for the days that pictures are kept; without it the account's plan decides alone.",
  }),

  DEFAULT_API_KEY_PREFIX: z
    .string()
    .max(20)
    .regex(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/)
    .default("ss")
    .meta({
      group: "Keys and limits",
      valid: "at most 20 lower-case letters, digits and underscores, a letter first",
      description: "Beginning of new API keys; keys with earlier prefixes stay valid.",
    }),
  RATE_LIMIT_WINDOW_MS: z
    .int()
    .min(1000)
    .max(3_600_000)
    .default(60_000)
    .meta({ group: "Keys and limits", unit: "milliseconds", description: "Window of the limit below." }),
  RATE_LIMIT_MAX_REQUESTS: z.int().min(1).max(1_000_000).default(100).meta({
    group: "Keys and limits",
    description: "Requests per window of a key whose plan sets no limit, and of an address that sends unknown keys.",
  }),

  MAX_CONCURRENT_SCREENSHOTS: z.int().min(1).max(200).optional().meta({
    group: "Capture",
    description:
      "Maximum number of concurrent captures; each has its own browser (about 110 MB), started when it is needed. Unless set, 4 for each processor core, but no more than one for each 256 MB of memory.",
  }),
  MAX_QUEUED_SCREENSHOTS: z.int().min(0).max(10_000).optional().meta({
    group: "Capture",
    description: "Captures that may wait for a browser; 8 for each that may run unless set. More are answered 429.",
  }),
  SCREENSHOT_TIMEOUT: z
    .int()
    .min(1000)
    .max(90_000)
    .default(30_000)
    .meta({ group: "Capture", unit: "milliseconds", description: "Longest time of one capture, waiting for a browser included." }),
  MAX_BROWSER_MEMORY_MB: z.int().min(256).max(65_536).default(1536).meta({
    group: "Capture",
    description: "Memory of one browser, all its processes together, at which its capture is ended.",
    unit: "MB",
  }),
  MAX_PAGE_LOAD_TIMEOUT: z
    .int()
    .min(1000)
    .max(90_000)
    .default(30_000)
    .meta({ group: "Capture", unit: "milliseconds", description: "Longest time until a page's navigation has loaded." }),
  MAX_SCREENSHOT_WIDTH: z.int().min(1).max(16_384).default(3840).meta({ group: "Capture", description: "Largest `width`, in CSS pixels." }),
  MAX_SCREENSHOT_HEIGHT: z
    .int()
    .min(1)
    .max(16_384)
    .default(2160)
    .meta({ group: "Capture", description: "Largest `height`, in CSS pixels." }),
  MAX_FULL_PAGE_HEIGHT: z
    .int()
    .min(1)
    .max(100_000)
    .default(30_000)
    .meta({ group: "Capture", description: "Height at which a full page is cut, in CSS pixels." }),
  DEFAULT_VIEWPORT_WIDTH: z.int().min(1).default(1280).meta({ group: "Capture", description: "`width` of a request that gives none." }),
  DEFAULT_VIEWPORT_HEIGHT: z.int().min(1).default(720).meta({ group: "Capture", description: "`height` of a request that gives none." }),
  DEFAULT_QUALITY: z.int().min(1).max(100).default(80).meta({ group: "Capture", description: "`quality` of a request that gives none." }),

  PUPPETEER_EXECUTABLE_PATH: z
    .string()
    .default("")
    .meta({ group: "Chromium", description: "Chromium to use; empty looks for an installed one, headless shell first." }),
  CHROMIUM_SANDBOX: z.boolean().default(true).meta({
    group: "Chromium",
    description: "Run Chromium inside its sandbox; `false` only where every page that is captured is trusted.",
  }),
  CHROMIUM_WEBGL: z
    .boolean()
    .default(false)
    .meta({ group: "Chromium", description: "Render WebGL in software; that part of Chromium runs outside the sandbox." }),
  EGRESS_ALLOWED_HOSTS: z.string().default("").meta({
    group: "Chromium",
    description:
      "Hosts, `host:port` or CIDRs that may be captured although they are private, separated by commas. Names that only `/etc/hosts` knows must be listed by name.",
  }),

  WEB_SERVER_URL: z.string().default("").meta({
    group: "Web front end",
    description: "Address at which the dashboard reaches this API; required by the dashboard. Captured pages are kept away from it.",
  }),
  WEB_HOST: z.string().min(1).default("localhost").meta({
    group: "Web front end",
    description:
      "Host of the dashboard's server as this API reaches it, so that captured pages are kept away from it. The dashboard itself listens on the address of this name.",
  }),
  WEB_PORT: port(3001).meta({ group: "Web front end", description: "Port of the dashboard's server." }),
  WEB_IDP_CLIENT_ID: z
    .string()
    .default("")
    .meta({ group: "Web front end", description: "Client id at the external identity provider; empty offers none." }),
  WEB_IDP_ISSUER: z
    .string()
    .regex(/^https?:\/\/\S+$/)
    .default("https://accounts.google.com")
    .meta({
      group: "Web front end",
      valid: "an http or https address",
      description: "Issuer of the identity provider: the address that its OpenID Connect discovery begins with.",
    }),
  WEB_IDP_CLIENT_SECRET: z.string().default("").meta({
    group: "Web front end",
    secret: true,
    description: "Client secret at the identity provider; empty signs in as a public client.",
  }),
  WEB_PUBLIC_URL: z
    .string()
    .regex(/^https?:\/\/[^/?#\s]+\/?$/)
    .default("http://localhost:3001")
    .meta({
      group: "Web front end",
      valid: "an http or https address without a path",
      description:
        "Address of the web front end as people see it in their browser; changes to accounts are accepted from pages of this origin only. Captured pages are kept away from it unless its address is public.",
    }),
  BILLING_ACCESS_TOKEN: z.string().default("").meta({
    group: "Web front end",
    secret: true,
    description: "Access token at the billing provider; empty leaves plans to the operator.",
  }),
  BILLING_ENVIRONMENT: z
    .enum(["sandbox", "production"])
    .default("sandbox")
    .meta({ group: "Web front end", description: "Environment of the billing provider." }),
});

export type Config = z.infer<typeof settings>;

/** The settings as a JSON schema (draft 7), with what the documents say of each. */
export const settingsJsonSchema = z.toJSONSchema(settings, { target: "draft-7", io: "input" });
