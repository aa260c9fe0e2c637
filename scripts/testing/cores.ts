/** Measures CPU utilization of the machine. */

import { cpus } from "node:os";

/** Returns a function that measures the idle share of all cores, 0 to 1, since its previous call or its creation. */
export function idleShareSinceLast(): () => number {
  let last = times();
  return () => {
    const now = times();
    const [idle, all] = [now.idle - last.idle, now.all - last.all];
    last = now;
    return all > 0 ? idle / all : 0;
  };
}

function times(): { idle: number; all: number } {
  const each = cpus().map((cpu) => cpu.times);
  return {
    idle: each.reduce((sum, { idle }) => sum + idle, 0),
    all: each.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0),
  };
}
