/** Responds to `dry_run` with a description of what the request would do. */

import type { FastifyReply } from "fastify";
import type { FoundScreenshot } from "../../screenshots/take/take.ts";

interface DryRun {
  /** Secret options have the value "given". */
  options: Record<string, unknown>;
  warnings: string[];
  /** Whether the request accepts stored screenshots. */
  cached: boolean;
  found: FoundScreenshot | undefined;
}

export async function sendDryRun(reply: FastifyReply, { options, warnings, cached, found }: DryRun): Promise<FastifyReply> {
  return reply.header("cache-control", "no-store").send({
    dry_run: true,
    options,
    warnings,
    cache: found?.freshness
      ? {
          state: found.freshness === "fresh" ? "HIT" : "STALE",
          captured_at: new Date(found.stored.capturedAt).toISOString(),
          id: found.stored.id,
        }
      : { state: cached ? "MISS" : "OFF", captured_at: null, id: null },
  });
}
