/** Workers in separate processes, to be killed. */

import { freePort } from "../../scripts/stack/ports.ts";
import { type ServerProcess, spawnServer } from "./process.ts";
import type { Scope } from "./scope.ts";

/** Resolves once it is ready. @param env of the service whose jobs it runs. */
export async function startWorker(t: Scope, env: Record<string, string>): Promise<ServerProcess> {
  const [PORT, METRICS_PORT] = [String(await freePort()), String(await freePort())];
  const worker = spawnServer(t, {
    ...env,
    ROLE: "worker",
    PORT,
    METRICS_PORT,
    HOST: "127.0.0.1",
    PUPPETEER_EXECUTABLE_PATH: process.env.TEST_CHROMIUM ?? "",
  });
  await worker.printed('"ready"');
  return worker;
}
