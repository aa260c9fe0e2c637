/** Starts programs: servers, which run until stopped, and commands, which end by themselves. */

import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";

/** The user that a program runs as. Default: this process's user. */
export interface Owner {
  uid: number;
  gid: number;
}

/** A running server. */
export interface Child {
  readonly pid: number;
  /** The end of its output; empty with a log file. */
  output(): string;
  /** Resolves with "exit code 1" or the like. Never rejects. */
  readonly ended: Promise<string>;
  running(): boolean;
  /** Sends `signal`, and SIGKILL after `graceMs`. Resolves when it has ended; never rejects. */
  stop(signal: NodeJS.Signals, graceMs: number): Promise<void>;
}

export interface ChildOptions {
  cwd?: string;
  env?: Record<string, string | undefined>;
  owner?: Owner | undefined;
  /** Written to its standard input, which is then closed. */
  input?: string;
  /** Receives standard output and standard error. Overwritten. */
  logFile?: string;
}

const children = new Set<ChildProcess>();
/** Commands that a caller is waiting for. They don't outlive this process, even if it exits because of an uncaught error. */
const commands = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of commands) child.kill("SIGKILL");
});

/**
 * Starts a server in its own process group, so that Ctrl-C in the terminal reaches only this process, which stops its servers in order.
 * On Linux, the server also exits if this process is killed.
 */
export function startChild(command: string[], options: ChildOptions = {}): Child {
  const [file, ...args] = [...tiedToParent(), ...command] as [string, ...string[]];
  const log = options.logFile === undefined ? undefined : openSync(options.logFile, "w", 0o600);
  const child = spawn(file, args, {
    detached: true,
    stdio: [options.input === undefined ? "ignore" : "pipe", log ?? "pipe", log ?? "pipe"],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.owner ?? {}),
  });
  if (log !== undefined) closeSync(log);
  children.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output = (output + chunk).slice(-4000)));
  child.stdin?.on("error", () => {}); // it exited before reading; see `ended`
  child.stdin?.end(options.input);
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
  }).finally(() => children.delete(child));
  const running = () => children.has(child);
  return {
    pid: child.pid ?? 0,
    output: () => output.trim(),
    ended,
    running,
    stop: async (signal, graceMs) => {
      if (!running()) return;
      child.kill(signal);
      const timer = setTimeout(() => kill(child), graceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

/**
 * Runs a command in this terminal.
 * @param options.stdin whether it inherits standard input; by default it has none.
 * @returns its exit code; 130 if `signal` aborted, which sends it SIGTERM.
 */
export function runInTerminal(
  command: string[],
  { stdin = false, ...options }: { cwd: string; env: Record<string, string | undefined>; stdin?: boolean },
  signal: AbortSignal,
): Promise<number> {
  const [file, ...args] = [...tiedToParent(), ...command] as [string, ...string[]];
  const child = spawn(file, args, { ...options, stdio: [stdin ? "inherit" : "ignore", "inherit", "inherit"] });
  children.add(child);
  const stop = () => child.kill("SIGTERM");
  signal.addEventListener("abort", stop, { once: true });
  return new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(signal.aborted ? 130 : (code ?? 1)));
  }).finally(() => {
    signal.removeEventListener("abort", stop);
    children.delete(child);
  });
}

/** Kills all children immediately: for a second Ctrl-C. */
export function killChildren(): void {
  for (const child of children) kill(child);
}

function kill(child: ChildProcess): void {
  try {
    if (child.pid) process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL"); // the group no longer exists
  }
}

let prefix: string[] | undefined;

/**
 * A command prefix that makes a child exit with its parent, using util-linux's setpriv. On other systems, children outlive a killed
 * parent. The signal is SIGINT, because SIGTERM makes PostgreSQL wait for its clients.
 */
function tiedToParent(): string[] {
  const wanted = ["setpriv", "--pdeathsig", "INT"];
  prefix ??= process.platform === "linux" && spawnSync("setpriv", [...wanted.slice(1), "true"]).status === 0 ? wanted : [];
  return prefix;
}

export interface ProgramOptions {
  timeoutMs: number;
  signal: AbortSignal;
  cwd?: string;
  env?: Record<string, string | undefined>;
  owner?: Owner | undefined;
  /** Written to its standard input, which is then closed. */
  input?: string;
  /** Number of output lines in an error. Default: 20. */
  outputLines?: number;
}

/**
 * Runs a command.
 * @returns its trimmed standard output.
 * @throws {Error} with the end of its output if it fails, times out or is aborted.
 */
export function runProgram(command: string[], options: ProgramOptions): Promise<string> {
  const { timeoutMs, owner, input = "", outputLines = 20, ...rest } = options;
  const [file, ...args] = command as [string, ...string[]];
  return new Promise((resolve, reject) => {
    const child = execFile(
      file,
      args,
      { ...rest, ...owner, timeout: timeoutMs, killSignal: "SIGKILL", maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout.trim());
        const output = `${stderr}\n${stdout}`.trim().split("\n").slice(-outputLines).join("\n");
        reject(
          new Error(output || `${file} failed (${error.killed ? `timeout after ${timeoutMs / 1000} s` : (error.code ?? error.signal)})`, {
            cause: error,
          }),
        );
      },
    );
    commands.add(child);
    child.once("close", () => commands.delete(child));
    child.stdin?.on("error", () => {}); // it exited before reading; see its exit code
    child.stdin?.end(input);
  });
}
