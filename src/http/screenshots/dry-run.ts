/** Answers what a request would do, without doing it. */

import type { FastifyReply } from "fastify";
import type { CachedImage } from "../../screenshots/cache.ts";

interface DryRun {
  /** Of secret ones only that they were given. */
  options: Record<string, unknown>;
  warnings: string[];
  /** Whether the request asks for cached pictures. */
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
