/** Runs a PostgreSQL server: only on loopback, with a random password, stopped with this process. */

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { type Child, type Owner, runProgram, startChild } from "./child.ts";
import { freePort } from "./ports.ts";
import { type PostgresPrograms, postgresPrograms } from "./postgres-programs.ts";

export interface LocalPostgres {
  /** `postgresql://…/tintype`, of a user who may create databases. */
  url: string;
  stop(): Promise<void>;
}

const user = "tintype";
const database = "tintype";

/**
 * Starts PostgreSQL with its data in `folder`, which is created if missing. Each major version has separate data in it.
 * @param throwAway trades durability for speed.
 */
export async function startPostgres(
  { folder, throwAway }: { folder: string; throwAway: boolean },
  print: (message: string) => void,
  signal: AbortSignal,
): Promise<LocalPostgres> {
  const programs = await postgresPrograms(print, signal);
  const home = join(folder, `postgres-${programs.major}`);
  const data = join(home, "data");
  const owner = await makeHome(home);
  const passwordFile = join(home, "password");
  if (!existsSync(data)) await initialise(programs, { home, data, passwordFile, owner }, signal);
  else await endLeftover(data, signal);
  const password = (await readFile(passwordFile, "utf8")).trim();
  const port = await freePort();
  const server = startChild([programs.postgres, ...serverArguments(data, port, throwAway)], {
    cwd: home,
    owner,
    env: { ...process.env, TZ: "UTC" },
  });
  const url = (name: string) => `postgresql://${user}:${password}@127.0.0.1:${port}/${name}`;
  const stop = () => server.stop("SIGINT", 10_000);
  try {
    await untilDatabase(server, url, signal);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: url(database), stop };
}

function serverArguments(data: string, port: number, throwAway: boolean): string[] {
  const settings = {
    max_connections: "200",
    unix_socket_directories: "",
    jit: "off", // the single image has no LLVM, and no query here would benefit from it
    ...(throwAway ? { fsync: "off", synchronous_commit: "off", full_page_writes: "off" } : {}),
  };
  return [
    "-D",
    data,
    "-h",
    "127.0.0.1",
    "-p",
    String(port),
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
}

/** PostgreSQL refuses to run as root: if root can't become an ordinary user, PostgreSQL runs as `nobody`. */
async function makeHome(home: string): Promise<Owner | undefined> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  if (process.getuid?.() !== 0) return undefined;
  const owner = { uid: 65534, gid: 65534 };
  await chown(home, owner.uid, owner.gid);
  return owner;
}

/** Creates the data folder atomically. */
async function initialise(
  programs: PostgresPrograms,
  { home, data, passwordFile, owner }: { home: string; data: string; passwordFile: string; owner: Owner | undefined },
  signal: AbortSignal,
): Promise<void> {
  const fresh = `${data}.new`;
  await rm(fresh, { recursive: true, force: true });
  await writeFile(passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600 });
  await chmod(passwordFile, 0o600);
  if (owner) await chown(passwordFile, owner.uid, owner.gid);
  const options = ["--username", user, "--pwfile", passwordFile, "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"];
  try {
    await runProgram([programs.initdb, "--pgdata", fresh, ...options], { cwd: home, timeoutMs: 60_000, signal, owner });
  } catch (error) {
    signal.throwIfAborted();
    const reason = owner
      ? " As root it runs as user 65534, who must be able to reach that folder: run this as an ordinary user instead, or set DATABASE_URL."
      : "";
    throw new Error(`PostgreSQL could not create its data in ${home}.${reason}\n${(error as Error).message}`, { cause: error });
  }
  await rename(fresh, data);
}

/** Stops a server left by an earlier, killed run, on systems where it is not tied to its parent. */
async function endLeftover(data: string, signal: AbortSignal): Promise<void> {
  const pid = Number((await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "")).split("\n")[0]);
  if (!pid || !(await commandOf(pid, signal)).includes(data)) return;
  process.kill(pid, "SIGINT");
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(15_000)]);
  while (existsSync(join(data, "postmaster.pid"))) await pause(50, undefined, { signal: deadline });
}

async function commandOf(pid: number, signal: AbortSignal): Promise<string> {
  if (process.platform === "linux") return readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return runProgram(["ps", "-o", "command=", "-p", String(pid)], { timeoutMs: 5_000, signal }).catch(() => "");
}

/** Waits until the server responds, and creates the database if missing. */
async function untilDatabase(server: Child, url: (name: string) => string, signal: AbortSignal): Promise<void> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(60_000)]);
  for (;;) {
    const client = new pg.Client({ connectionString: url("postgres"), connectionTimeoutMillis: 5_000 });
    client.on("error", () => {}); // the running query rejects
    try {
      await client.connect();
      const { rowCount } = await client.query("select from pg_database where datname = $1", [database]);
      if (rowCount === 0) await client.query(`create database ${database}`);
      return;
    } catch (error) {
      if (!server.running() || deadline.aborted) {
        signal.throwIfAborted();
        throw new Error(`PostgreSQL did not start: ${server.output() || (error as Error).message}`, { cause: error });
      }
    } finally {
      await client.end().catch(() => {});
    }
    await pause(30, undefined, { signal }).catch(() => {});
  }
}
