/** Checks the service's dependencies, at a cost that doesn't grow with the frequency of probes. */

import { abortAfter, DeadlineExceeded } from "../shared/deadline.ts";
import { forService } from "../shared/work-owner.ts";

export interface HealthCheck {
  name: "database" | "cache" | "storage" | "queue" | "browser";
  /** Whether captures are impossible without the component. If so, a failed check makes the service unhealthy, otherwise degraded. */
  vital: boolean;
  /** Resolves with details for the report, if any. */
  run(signal: AbortSignal): Promise<Record<string, unknown> | undefined>;
}

export interface CheckResult {
  name: HealthCheck["name"];
  status: "pass" | "fail";
  /** In milliseconds. */
  duration: number;
  error?: string;
  details?: Record<string, unknown>;
}

export interface HealthReport {
  status: "healthy" | "degraded" | "unhealthy";
  checks: CheckResult[];
}

const checkTimeoutMs = 4_000;
/** How long a finished report is reused. */
const freshForMs = 1_000;

/** Returns a function that runs all checks and never rejects. Calls during the checks, and within a second after, share one report. */
export function createHealth(checks: HealthCheck[]): () => Promise<HealthReport> {
  let latest: { at: number; report: Promise<HealthReport> } | undefined;
  return () => {
    if (!latest || performance.now() - latest.at > freshForMs) {
      const entry = { at: Number.POSITIVE_INFINITY, report: forService(() => runChecks(checks)) }; // calls during the checks also share the report
      entry.report.then(() => {
        entry.at = performance.now();
      });
      latest = entry;
    }
    return latest.report;
  };
}

async function runChecks(checks: HealthCheck[]): Promise<HealthReport> {
  const results = await Promise.all(checks.map(runCheck));
  const failed = checks.filter((_, index) => results[index]?.status === "fail");
  const status = failed.some(({ vital }) => vital) ? "unhealthy" : failed.length > 0 ? "degraded" : "healthy";
  return { status, checks: results };
}

async function runCheck({ name, run }: HealthCheck): Promise<CheckResult> {
  const started = performance.now();
  const duration = () => Math.round(performance.now() - started);
  try {
    const details = await abortAfter(checkTimeoutMs, run);
    return { name, status: "pass", duration: duration(), ...(details ? { details } : {}) };
  } catch (error) {
    return { name, status: "fail", duration: duration(), error: publicReason(error) };
  }
}

/** The kind of failure, without addresses: the report is public. */
function publicReason(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  if (typeof code === "string") return code.toLowerCase();
  return error instanceof DeadlineExceeded ? `no response within ${checkTimeoutMs / 1000} s` : "not usable";
}
