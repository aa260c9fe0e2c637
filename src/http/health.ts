/** Health of the service and its dependencies. Concurrent probes share one run of the checks. */

import type { FastifyInstance } from "fastify";
import { abortAfter, DeadlineExceeded } from "../deadline.ts";

export interface HealthCheck {
  name: "database" | "cache" | "storage" | "browser";
  /** Without it nothing can be captured: when it fails, the service is unhealthy. */
  vital: boolean;
  run(signal: AbortSignal): Promise<Record<string, unknown> | undefined>;
}

interface CheckResult {
  name: string;
  status: "pass" | "fail";
  /** Milliseconds. */
  duration: number;
  error?: string;
  details?: Record<string, unknown>;
}

interface Report {
  status: "healthy" | "degraded" | "unhealthy";
  checks: CheckResult[];
}

const checkTimeoutMs = 4_000;
/** Probes within this time share one result. */
const freshForMs = 1_000;

/** `closing`: whether the service is shutting down, and so is alive but not ready. */
export function healthRoutes(
  app: FastifyInstance,
  { checks, version, closing }: { checks: HealthCheck[]; version: string; closing: () => boolean },
): void {
  let latest: { at: number; report: Promise<Report> } | undefined;
  const latestReport = () => {
    if (!latest || performance.now() - latest.at > freshForMs) {
      const report = runChecks(checks);
      const entry = { at: Number.POSITIVE_INFINITY, report }; // running checks are shared, too
      report.then(() => {
        entry.at = performance.now();
      });
      latest = entry;
    }
    return latest.report;
  };
  const timestamp = () => new Date().toISOString();

  app.addHook("onSend", async (_request, reply) => {
    reply.header("cache-control", "no-store");
  });
  app.get("/health", async (_request, reply) => {
    const { status, checks: results } = await latestReport();
    return reply
      .code(status === "unhealthy" ? 503 : 200)
      .send({ status, timestamp: timestamp(), uptime: process.uptime(), version, checks: results });
  });
  app.get("/health/ready", async (_request, reply) => {
    const error = closing() ? "shutting down" : unready(await latestReport());
    if (error) return reply.code(503).send({ status: "not ready", timestamp: timestamp(), error });
    return { status: "ready", timestamp: timestamp() };
  });
  app.get("/health/live", async () => ({ status: "alive", timestamp: timestamp() }));
}

function unready({ status, checks }: Report): string | undefined {
  if (status !== "unhealthy") return undefined;
  return checks
    .filter((check) => check.status === "fail")
    .map(({ name, error }) => `${name}: ${error}`)
    .join("; ");
}

async function runChecks(checks: HealthCheck[]): Promise<Report> {
  const results = await Promise.all(checks.map(runCheck));
  const failed = checks.filter((_, index) => results[index]?.status === "fail");
  const status = failed.some(({ vital }) => vital) ? "unhealthy" : failed.length > 0 ? "degraded" : "healthy";
  return { status, checks: results };
}

async function runCheck({ name, run }: HealthCheck): Promise<CheckResult> {
  const started = performance.now();
  try {
    const details = await abortAfter(checkTimeoutMs, run);
    return { name, status: "pass", duration: since(started), ...(details ? { details } : {}) };
  } catch (error) {
    return { name, status: "fail", duration: since(started), error: publicReason(error) };
  }
}

/** The kind of failure, without addresses: the endpoint is public. */
function publicReason(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  if (typeof code === "string") return code.toLowerCase();
  return error instanceof DeadlineExceeded ? `no answer within ${checkTimeoutMs / 1000} s` : "not usable";
}

function since(started: number): number {
  return Math.round(performance.now() - started);
}
