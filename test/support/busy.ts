/** CPU load in addition to a test's own. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { lowerPriority } from "../../src/browser/priority.ts";

/** Exits with the process that started it. */
const loop = "const parent = process.ppid; while (process.ppid === parent) for (let i = 0; i < 1e7; i += 1) Math.sqrt(i);";

/** Keeps every core as busy as other browsers would, at their priority, until the returned function is called. */
export function keepCoresBusy(): () => Promise<void> {
  const children = Array.from({ length: availableParallelism() }, () => {
    const child = spawn(process.execPath, ["--eval", loop], { stdio: "ignore", detached: true });
    if (child.pid) void lowerPriority(child.pid);
    return { child, ended: once(child, "exit") };
  });
  return async () => {
    for (const { child } of children) child.kill("SIGKILL");
    await Promise.all(children.map(({ ended }) => ended));
  };
}
