/** How busy the machine's cores are. */

import { cpus } from "node:os";

/** A function that returns which share of all cores has been idle since its last call, 0 to 1; since it was made for the first one. */
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
