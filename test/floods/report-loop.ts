/**
 * Preloaded into the service. On SIGUSR2 it prints the event loop's delay and the CPU time of its turns in milliseconds, and resets
 * them. The CPU time is the delay that other requests would have on an idle machine.
 */

import { monitorEventLoopDelay } from "node:perf_hooks";

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
let turns: number[] = [];
let before = cpuMs();

setInterval(() => {
  const now = cpuMs();
  turns.push(now - before);
  before = now;
}, 5);

process.on("SIGUSR2", () => {
  const sorted = turns.sort((a, b) => a - b);
  const loop = {
    delay: { p95: delay.percentile(95) / 1e6, max: delay.max / 1e6 },
    turn: { p95: sorted[Math.floor(sorted.length * 0.95)] ?? 0, max: sorted.at(-1) ?? 0 },
    cpu: sorted.reduce((sum, ms) => sum + ms, 0),
  };
  process.stdout.write(`${JSON.stringify({ loop })}\n`);
  delay.reset();
  turns = [];
});

/** CPU time of the main thread. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
