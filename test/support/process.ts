/** Servers in separate processes, as in production. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Scope } from "./scope.ts";

export interface ServerProcess {
  child: ChildProcess;
  /** Its output so far. */
  output(): string;
  /** Resolves when its output contains `text`; rejects if the process ends first. */
  printed(text: string): Promise<void>;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/**
 * `node src/server.js` with exactly `env`, plus PATH; `through` is a program that starts it. If it is still running when the test ends, `t`
 * kills it.
 */
export function spawnServer(t: Scope, env: Record<string, string>, through: string[] = []): ServerProcess {
  return spawnProcess(t, [...through, process.execPath, "src/server.js"], { ...fontSettings(), ...env });
}

/** `command` with exactly `env`, plus PATH. If it is still running when the test ends, `t` kills it. */
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
    printed: (text) =>
      new Promise((resolve, reject) => {
        const look = () => output.includes(text) && resolve();
        child.stdout.on("data", look);
        look();
        exited.then(({ code, signal }) => reject(new Error(`ended with ${signal ?? code} before it printed "${text}":\n${output}`)));
      }),
    exited,
  };
}

/** Variables for a Chromium with its own libraries and fonts. */
function fontSettings(): Record<string, string> {
  const names = ["LD_LIBRARY_PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "HOME", "TMPDIR"];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
}
