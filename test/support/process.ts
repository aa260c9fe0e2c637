/** Servers as processes of their own, as in production. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Scope } from "./scope.ts";

export interface ServerProcess {
  child: ChildProcess;
  /** What it printed so far. */
  output(): string;
  /** Resolves when a line has `words`; rejects when the process ends before. */
  printed(words: string): Promise<void>;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** `node src/server.ts` with exactly `env`, and PATH; `through` is a program that starts it. Killed by `t` if it still runs. */
export function spawnServer(t: Scope, env: Record<string, string>, through: string[] = []): ServerProcess {
  return spawnProcess(t, [...through, process.execPath, "src/server.ts"], { ...fontSettings(), ...env });
}

/** `command` with exactly `env`, and PATH. Killed by `t` if it still runs. */
export function spawnProcess(t: Scope, command: string[], env: Record<string, string | undefined>): ServerProcess {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const exited = once(child, "exit").then(([code, signal]) => ({ code, signal }));
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  t.after(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return {
    child,
    output: () => output,
    printed: (words) =>
      new Promise((resolve, reject) => {
        const look = () => output.includes(words) && resolve();
        child.stdout.on("data", look);
        look();
        exited.then(({ code, signal }) => reject(new Error(`ended with ${signal ?? code} before it said "${words}":\n${output}`)));
      }),
    exited,
  };
}

/** A Chromium that brings its own libraries and fonts is told of them by the environment. */
function fontSettings(): Record<string, string> {
  const names = ["LD_LIBRARY_PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "HOME", "TMPDIR"];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
}
