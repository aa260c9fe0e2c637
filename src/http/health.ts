/** `/health`: whether the service works, for probes and load balancers. */

import type { FastifyInstance } from "fastify";
import type { HealthReport } from "../health.ts";

/** `closing`: the service is about to stop; it is alive, but not ready for requests. */
export function healthRoutes(
  app: FastifyInstance,
  { health, version, closing }: { health: () => Promise<HealthReport>; version: string; closing: () => boolean },
): void {
  const timestamp = () => new Date().toISOString();

  app.addHook("onSend", async (_request, reply) => {
    reply.header("cache-control", "no-store");
  });
  app.get("/health", async (_request, reply) => {
    const { status, checks } = await health();
    return reply
      .code(status === "unhealthy" ? 503 : 200)
      .send({ status, timestamp: timestamp(), uptime: process.uptime(), version, checks });
  });
  app.get("/health/ready", async (_request, reply) => {
    const error = closing() ? "shutting down" : unready(await health());
    if (error) return reply.code(503).send({ status: "not ready", timestamp: timestamp(), error });
    return { status: "ready", timestamp: timestamp() };
  });
  app.get("/health/live", async () => ({ status: "alive", timestamp: timestamp() }));
}

function unready({ status, checks }: HealthReport): string | undefined {
  if (status !== "unhealthy") return undefined;
  return checks
    .filter((check) => check.status === "fail")
    .map(({ name, error }) => `${name}: ${error}`)
    .join("; ");
}
