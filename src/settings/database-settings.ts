/** Derives the connection to PostgreSQL from the settings. */

import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import type { DatabaseSettings } from "../database/database.ts";
import type { Config } from "./config.ts";

/** Connection settings; `DATABASE_URL` can replace all the others. */
export const databaseSettingNames = [
  "DATABASE_URL",
  "DATABASE_HOST",
  "DATABASE_PORT",
  "DATABASE_NAME",
  "DATABASE_USER",
  "DATABASE_PASSWORD",
  "DATABASE_SSLMODE",
  "DATABASE_SSLROOTCERT",
] as const;

export function databaseSettingsOf(config: Pick<Config, (typeof databaseSettingNames)[number]>): DatabaseSettings {
  return {
    host: config.DATABASE_HOST,
    port: config.DATABASE_PORT,
    database: config.DATABASE_NAME,
    user: config.DATABASE_USER,
    password: config.DATABASE_PASSWORD,
    ssl: databaseTls(config),
  };
}

type TlsSettings = Pick<Config, "DATABASE_SSLMODE" | "DATABASE_SSLROOTCERT">;

/** The modes mean the same as in libpq. @throws {Error} if the certificates can't be read, which `tlsProblems` reports at startup. */
function databaseTls({ DATABASE_SSLMODE: mode, DATABASE_SSLROOTCERT: file }: TlsSettings): ConnectionOptions | false | undefined {
  if (mode === undefined) return undefined;
  if (mode === "disable") return false;
  if (mode === "require") return { rejectUnauthorized: false };
  return {
    ...(file ? { ca: readFileSync(file, "utf8") } : {}),
    ...(mode === "verify-ca" ? { checkServerIdentity: () => undefined } : {}),
  };
}

export function tlsProblems(config: TlsSettings): string[] {
  const { DATABASE_SSLMODE: mode = "disable", DATABASE_SSLROOTCERT: file } = config;
  if (file && !mode.startsWith("verify"))
    return [
      "DATABASE_SSLROOTCERT has no effect unless DATABASE_SSLMODE is verify-ca or verify-full: set it to one of these, or remove DATABASE_SSLROOTCERT",
    ];
  try {
    databaseTls(config);
    return [];
  } catch (error) {
    return [`DATABASE_SSLROOTCERT can't be read: ${(error as Error).message}`];
  }
}
