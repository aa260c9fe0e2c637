/** `/health`: health of the service, for probes and load balancers. */

import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { HealthReport } from "../../telemetry/health.ts";
import { operation } from "../openapi/operation.ts";
import type { Routes } from "./operation-routes.ts";

const shared = { tag: "Health", method: "GET", head: true, access: "public", readsOwnQuery: true } as const;
const timestamp = z.iso.datetime();

export const componentCheck = z.object({
  name: z.enum(["database", "cache", "storage", "queue", "browser"]),
  status: z.enum(["pass", "fail"]),
  duration: z.int().min(0).meta({ description: "Milliseconds." }),
  error: z.string().optional(),
});

const readHealth = operation({
  ...shared,
  id: "getHealth",
  path: "/health",
  summary: "Status of every component",
  unready: "Unhealthy: nothing can be captured.",
  answer: z
    .object({
      status: z.enum(["healthy", "degraded", "unhealthy"]),
      timestamp,
      uptime: z.number().meta({ description: "Seconds since the process started." }),
      version: z.string(),
      checks: z.array(componentCheck.extend({ details: z.record(z.string(), z.unknown()).optional() })),
    })
    .meta({ schemaName: "Health" }),
});

const readReadiness = operation({
  ...shared,
  id: "getReadiness",
  path: "/health/ready",
  summary: "Whether the service accepts requests",
  unready: "Not ready.",
  answer: z.object({ status: z.enum(["ready", "not ready"]), timestamp, error: z.string().optional() }).meta({ schemaName: "Readiness" }),
});

const readLiveness = operation({
  ...shared,
  id: "getLiveness",
  path: "/health/live",
  summary: "Whether the process is alive",
  answer: z.object({ status: z.literal("alive"), timestamp }).meta({ schemaName: "Liveness" }),
});

export const healthOperations = [readHealth, readReadiness, readLiveness];

interface HealthParts {
  health: () => Promise<HealthReport>;
  /** Checks only what this process itself needs to serve requests. */
  readiness: () => Promise<HealthReport>;
  version: string;
  /** Aborts when the shutdown begins: the service is still alive, but no longer ready. */
  closing: AbortSignal;
}

/** Requires a dedicated Fastify instance. */
export function healthRoutes(app: FastifyInstance, { publicRoute }: Routes, { health, readiness, version, closing }: HealthParts): void {
  const now = () => new Date().toISOString();
  app.addHook("onSend", async (_request, reply) => {
    reply.header("cache-control", "no-store");
  });

  publicRoute(readHealth, async ({ reply }) => {
    const { status, checks } = await health();
    if (status === "unhealthy") reply.code(503);
    return { status, timestamp: now(), uptime: process.uptime(), version, checks };
  });

  publicRoute(readReadiness, async ({ reply }) => {
    const error = closing.aborted ? "shutting down" : failuresIn(await readiness());
    if (error === undefined) return { status: "ready" as const, timestamp: now() };
    reply.code(503);
    return { status: "not ready" as const, timestamp: now(), error };
  });

  publicRoute(readLiveness, async () => ({ status: "alive" as const, timestamp: now() }));
}

/** The failed checks as text; undefined unless the service is unhealthy. */
function failuresIn({ status, checks }: HealthReport): string | undefined {
  if (status !== "unhealthy") return undefined;
  const failed = checks.filter((check) => check.status === "fail");
  return failed.map(({ name, error }) => `${name}: ${error}`).join("; ");
}
