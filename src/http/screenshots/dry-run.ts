/** Responds to `dry_run`: describes what a request would do. */

import type { FastifyReply } from "fastify";
import type { CachedImage } from "../../screenshots/cache.ts";

interface DryRun {
  /** Secret ones only as "given". */
  options: Record<string, unknown>;
  warnings: string[];
  /** Whether the request accepts cached screenshots. */
  cached: boolean;
  hit: CachedImage | undefined;
}

export async function sendDryRun(reply: FastifyReply, { options, warnings, cached, hit }: DryRun): Promise<FastifyReply> {
  return reply.header("cache-control", "no-store").send({
    dry_run: true,
    options,
    warnings,
    cache: hit
      ? { state: "HIT", captured_at: new Date(hit.capturedAt).toISOString(), id: hit.id }
      : { state: cached ? "MISS" : "OFF", captured_at: null, id: null },
  });
}
