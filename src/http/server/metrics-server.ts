/** Serves metrics on a separate port, which must not be public. */

import Fastify, { type FastifyInstance } from "fastify";
import type { Config } from "../../settings/config.ts";
import { createCoalescer } from "../../shared/coalesce.ts";
import { withDeadline } from "../../shared/deadline.ts";
import { turnOf } from "../../shared/turns.ts";
import { service } from "../../shared/work-owner.ts";
import type { HealthReport } from "../../telemetry/health.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { limitConnections } from "./connection-limit.ts";
import { containFailures } from "./contain-failures.ts";
import { noSchemas } from "./http-server.ts";
import { runOneAtATime } from "./one-at-a-time.ts";
import { limitReads } from "./read-turns.ts";
import { hasBody } from "./requests.ts";
import { limitTimeouts } from "./timeout-turns.ts";

interface Watched {
  config: Pick<Config, "ROLE">;
  metrics: Metrics;
  health(): Promise<HealthReport>;
  readiness(): Promise<HealthReport>;
  slots: { state(): { running: number; waiting: number; idle: number; started: number } };
  /** Number of queued captures across all processes. Rejects while the database is unavailable. */
  queuedCaptures(): Promise<number>;
}

const countTimeoutMs = 2_000;

/** The caller is responsible for starting and closing the server. */
export function createMetricsServer({ config, metrics, health, readiness, slots, queuedCaptures }: Watched): FastifyInstance {
  const app = Fastify({ requestTimeout: 30_000, schemaController: noSchemas, http: { requireHostHeader: false } });
  containFailures(app.server, () => {});
  limitConnections(app.server);
  runOneAtATime(app.server);
  limitReads(app.server);
  limitTimeouts(app.server);
  app.addHook("onRequest", (request, reply, done) => {
    const hasHost = request.headers.host !== undefined || request.raw.httpVersion !== "1.1";
    if (hasHost && !hasBody(request)) return done();
    // Refused before the body is read: Fastify would buffer it, possibly in chunks of one byte each.
    reply
      .code(400)
      .header("connection", "close")
      .send(hasHost ? "Metrics are read with GET, without a body." : "The request has no Host header.");
  });
  // Requests that arrive together share one report.
  const report = createCoalescer(async () => {
    const { running, waiting, idle, started } = slots.state();
    metrics.queued.set(waiting);
    metrics.slots.set({ state: "running" }, running);
    metrics.slots.set({ state: "idle" }, idle);
    metrics.slots.set({ state: "started" }, started);
    const counted = withDeadline(queuedCaptures(), countTimeoutMs, () => undefined).catch(() => undefined);
    const [{ checks }, { status }, queued] = await Promise.all([health(), readiness(), counted]);
    metrics.ready.set({ role: config.ROLE }, status === "unhealthy" ? 0 : 1);
    for (const check of checks) metrics.componentUp.set({ component: check.name }, check.status === "pass" ? 1 : 0);
    metrics.queuedCaptures.remove();
    if (queued !== undefined) metrics.queuedCaptures.set(queued);
    return await metrics.registry.metrics();
  });
  app.get("/metrics", async (_request, reply) => {
    const { result } = await report("");
    await turnOf(service);
    return reply.type(metrics.registry.contentType).send(result);
  });
  return app;
}
