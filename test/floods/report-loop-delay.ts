/** Preloaded into the service's process: prints the delay of its event loop at every SIGUSR2, in milliseconds, and starts again. */

import { monitorEventLoopDelay } from "node:perf_hooks";

const histogram = monitorEventLoopDelay({ resolution: 5 });
histogram.enable();
let before = process.cpuUsage();

process.on("SIGUSR2", () => {
  const { user, system } = process.cpuUsage(before);
  const loopDelay = { p95: histogram.percentile(95) / 1e6, max: histogram.max / 1e6, cpu: (user + system) / 1000 };
  process.stdout.write(`${JSON.stringify({ loopDelay })}\n`);
  histogram.reset();
  before = process.cpuUsage();
});
