/** Serves the metrics on a separate port, which must not be public. */

import Fastify, { type FastifyInstance } from "fastify";
import type { Metrics } from "../metrics.ts";

interface Watched {
  metrics: Metrics;
  slots: { state(): { running: number; waiting: number; idle: number; started: number } };
}

/** The caller listens and closes. */
export function createMetricsServer({ metrics, slots }: Watched): FastifyInstance {
  const app = Fastify({ requestTimeout: 30_000 });
  app.get("/metrics", async (_request, reply) => {
    const { running, waiting, idle, started } = slots.state();
    metrics.queued.set(waiting);
    metrics.slots.set({ state: "running" }, running);
    metrics.slots.set({ state: "idle" }, idle);
    metrics.slots.set({ state: "started" }, started);
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
  return app;
}
