/** Entry point of the dashboard's server: reads the settings, listens, shuts down gracefully on SIGTERM. */

import { fileURLToPath } from "node:url";
import { createWebServer } from "./app.ts";
import { readSettings } from "./settings.ts";

try {
  const settings = readSettings(process.env);
  const app = await createWebServer(settings, fileURLToPath(new URL("../dist/", import.meta.url)));
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.once(signal, () => {
      // A client keeps the connection of a response that began before the shutdown, and Fastify closes idle connections only once.
      setInterval(() => app.server.closeIdleConnections(), 50).unref();
      void app.close();
    });
  await app.listen({ host: settings.host, port: settings.port });
  if (settings.isHostFromOldName)
    app.log.warn(
      "WEB_HOST was used as the address to listen on, as before. Set WEB_LISTEN_HOST instead: WEB_HOST is the name by which the API knows this server.",
    );
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}

/** Error message for the operator that names the setting to change. */
function messageOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") return `${error.message}: stop the other process, or set WEB_PORT to a free port`;
  if (code === "EADDRNOTAVAIL" || syscall === "getaddrinfo")
    return `${error.message}: set WEB_LISTEN_HOST to an address of this machine, such as 0.0.0.0`;
  return error.message;
}
