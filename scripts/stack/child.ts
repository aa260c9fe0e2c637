/** Starts programs: those that run on until they are stopped, and those that finish by themselves. */

import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";

/** Whoever runs a program; undefined is the user who runs us. */
export interface Owner {
  uid: number;
  gid: number;
}

/** A program that runs on. */
export interface Child {
  readonly pid: number;
  /** The end of what it wrote to its standard error and, without a log file, standard output. */
  words(): string;
  /** Resolves when it ended, with how: "exit code 1". Never rejects. */
  readonly ended: Promise<string>;
  running(): boolean;
  /** Asks with `signal`, kills after `graceMs`. Resolves when it is gone; never rejects. */
  stop(signal: NodeJS.Signals, graceMs: number): Promise<void>;
}

export interface ChildOptions {
  cwd?: string;
  env?: Record<string, string | undefined>;
  owner?: Owner | undefined;
  /** Written to its standard input, which is closed then. */
  input?: string;
  /** Receives standard output and standard error from its beginning on. */
  logFile?: string;
}

const children = new Set<ChildProcess>();

/**
 * Starts a program in a process group of its own, so that Ctrl-C in the terminal reaches us alone and we stop things in
 * order. Where the system can, it dies with us even when we are killed.
 */
export function startChild(command: string[], options: ChildOptions = {}): Child {
  const [file, ...args] = [...diesWithUs(), ...command] as [string, ...string[]];
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
  let words = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (words = (words + chunk).slice(-4000)));
  child.stdin?.on("error", () => {}); // it ended before it read; `ended` tells
  child.stdin?.end(options.input);
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
  }).finally(() => children.delete(child));
  const running = () => children.has(child);
  return {
    pid: child.pid ?? 0,
    words: () => words.trim(),
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
 * Runs a program to its end in our terminal.
 * @param options.stdin whether it reads our standard input; by default it has none.
 * @returns its exit code; 130 when `signal` aborted, after it was asked to end.
 */
export function runInTerminal(
  command: string[],
  { stdin = false, ...options }: { cwd: string; env: Record<string, string | undefined>; stdin?: boolean },
  signal: AbortSignal,
): Promise<number> {
  const [file, ...args] = [...diesWithUs(), ...command] as [string, ...string[]];
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

/** Kills everything that runs on, at once: for a user who asked twice. */
export function killChildren(): void {
  for (const child of children) kill(child);
}

function kill(child: ChildProcess): void {
  try {
    if (child.pid) process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL"); // its group is gone
  }
}

let prefix: string[] | undefined;

/**
 * util-linux's way to tie a process to its parent; other systems leave orphans when we are killed hard.
 * SIGINT, because SIGTERM makes PostgreSQL wait for its clients.
 */
function diesWithUs(): string[] {
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
  /** Written to its standard input, which is closed then. */
  input?: string;
  /** How many of its last lines an error repeats; 20 unless set. */
  wordLines?: number;
}

/**
 * Runs a program to its end.
 * @returns its standard output, without white space around it.
 * @throws {Error} with its last words when it fails, takes longer than `timeoutMs` or `signal` aborts.
 */
export function runProgram(command: string[], options: ProgramOptions): Promise<string> {
  const { timeoutMs, owner, input = "", wordLines = 20, ...rest } = options;
  const [file, ...args] = command as [string, ...string[]];
  return new Promise((resolve, reject) => {
    const child = execFile(
      file,
      args,
      { ...rest, ...owner, timeout: timeoutMs, killSignal: "SIGKILL", maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout.trim());
        const words = `${stderr}\n${stdout}`.trim().split("\n").slice(-wordLines).join("\n");
        reject(
          new Error(words || `${file} failed (${error.killed ? `no end after ${timeoutMs / 1000} s` : (error.code ?? error.signal)})`, {
            cause: error,
          }),
        );
      },
    );
    child.stdin?.on("error", () => {}); // it ended before it read; its exit code tells
    child.stdin?.end(input);
  });
}
