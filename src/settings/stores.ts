/** Settings for PostgreSQL, Redis and the image storage. */

import { z } from "zod";
import { hostOrFolder, hostText, httpUrl, integer, isUrl, optionalText, port, requiredText, validHttpUrl } from "./types.ts";

const sslModes = ["disable", "require", "verify-ca", "verify-full"] as const;

export const postgresSettings = {
  DATABASE_URL: optionalText().meta({
    secret: true,
    description:
      "`postgresql://user:password@host:port/name`; replaces `DATABASE_HOST`, `_PORT`, `_NAME`, `_USER` and `_PASSWORD`, and with `?sslmode=…&sslrootcert=…` the two TLS settings.",
    example: "postgresql://tintype:change-me@localhost:5432/tintype",
  }),
  DATABASE_HOST: hostOrFolder().meta({ description: "Host of the database, unless given in `DATABASE_URL`." }),
  DATABASE_PORT: port(5432).meta({ description: "Port of the database." }),
  DATABASE_NAME: requiredText().meta({ description: "Name of the database, unless given in `DATABASE_URL`." }),
  DATABASE_USER: requiredText().meta({ description: "Database user, unless given in `DATABASE_URL`." }),
  DATABASE_PASSWORD: requiredText().meta({
    secret: true,
    description: "Password of the database user, unless given in `DATABASE_URL`.",
  }),
  DATABASE_SSLMODE: z.enum(sslModes).optional().meta({
    description:
      "TLS to the database: `require` encrypts, `verify-ca` also verifies the issuer of the server's certificate, `verify-full` also its host name. By default, TLS is not used.",
  }),
  DATABASE_SSLROOTCERT: optionalText().meta({
    description:
      "PEM file with the CA certificates that may have signed the server's certificate; by default, the CAs that Node trusts. Used only with `verify-ca` and `verify-full`.",
  }),
};

export const redisSettings = {
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\//)
    .meta({
      secret: true,
      valid: "a URL that begins with redis:// or rediss://",
      description: "`redis://[[user]:password@]host[:port][/database]`, or `rediss://` for TLS.",
      example: "redis://localhost:6379",
    }),
  REDIS_HOST: hostText().default("localhost").meta({ description: "Redis host, unless given in `REDIS_URL`." }),
  REDIS_PORT: port(6379).meta({ description: "Redis port, unless given in `REDIS_URL`." }),
  REDIS_PASSWORD: optionalText().meta({ secret: true, description: "Redis password, unless given in `REDIS_URL`." }),
  REDIS_KEY_PREFIX: optionalText(/^[\w:.-]{0,64}$/).meta({
    valid: "up to 64 letters, digits and `_ : . -`",
    description:
      "Prefix of all keys in Redis, to share one Redis between installations. It must be the same for all replicas of an installation.",
  }),
};

/** Sent in a header, or part of the key of a signature; no provider's contain spaces. */
const accessKey = () =>
  z
    .string()
    .regex(/^[!-~]+$/)
    .meta({ valid: "visible ASCII characters without spaces" });

export const storageSettings = {
  STORAGE_URL: z
    .string()
    .regex(/^(https?:\/\/[^\s/?#@\\]+(\/[^\s?#]*)?|file:[^?#]*)$/)
    .refine(isUrl)
    .meta({
      valid: `${validHttpUrl()}, or file:/a/folder, with ? and # percent-encoded`,
      description: "URL of the S3-compatible object storage, or `file:/a/folder` to store images on the local disk.",
      example: "http://localhost:8333",
    }),
  STORAGE_ENDPOINT: httpUrl().meta({
    description: "URL at which the service itself reaches object storage, if it differs from `STORAGE_URL`.",
  }),
  STORAGE_BUCKET: z
    .string()
    .regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]{1,253}[a-zA-Z0-9]$/)
    .refine((text) => !text.includes(".."))
    .meta({
      valid:
        "3 to 255 letters, digits, dots, hyphens and underscores, without two dots in a row, that begin and end with a letter or digit",
      description: "Bucket for images; created at startup if it doesn't exist and the credentials allow it.",
      example: "tintype",
    }),
  STORAGE_REGION: z
    .string()
    .regex(/^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/)
    .meta({
      valid: "up to 63 letters, digits and hyphens",
      description: "Region of the bucket; `auto` if the provider has no regions.",
      example: "auto",
    }),
  STORAGE_ACCESS_KEY_ID: accessKey().meta({ secret: true, description: "Access key ID for object storage.", example: "change-me" }),
  STORAGE_SECRET_ACCESS_KEY: accessKey().meta({
    secret: true,
    description: "Secret access key for object storage.",
    example: "change-me",
  }),
  STORAGE_USE_PATH_STYLE_ENDPOINT: z.boolean().default(false).meta({
    description: "Put the bucket in the path instead of the host name; most self-hosted servers need `true`.",
  }),
  SCREENSHOT_RETENTION_DAYS: integer(1, 3650).optional().meta({
    unit: "days",
    description: "Maximum number of days that images are kept; by default, the retention of the account's plan applies.",
  }),
};
