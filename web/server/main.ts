/** Entry point of the dashboard's server: reads the settings, listens, shuts down gracefully on SIGTERM. */

import { fileURLToPath } from "node:url";
import { createWebServer } from "./app.ts";
import { readSettings } from "./settings.ts";

try {
  const settings = readSettings(process.env);
  const app = await createWebServer(settings, fileURLToPath(new URL("../dist/", import.meta.url)));
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void app.close());
  await app.listen({ host: settings.host, port: settings.port });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
