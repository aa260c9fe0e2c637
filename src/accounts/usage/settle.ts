/** The statements behind `Charge.settle`: they complete the record of what was delivered, retrying through a database outage. */

import { setTimeout as delay } from "node:timers/promises";
import type { BaseLogger } from "pino";
import { jsonbText, type Queries } from "../../database/database.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Reservation, SettledImage } from "./reservation.ts";

interface Dependencies {
  database: Queries;
  clock: Clock;
  log: BaseLogger;
  /** Between attempts; the default doesn't keep the process alive. */
  pause?: ((ms: number) => Promise<unknown>) | undefined;
}

const pausesMs = { first: 500, max: 5_000 };

export function createSettle({ database, clock, log, pause = pauseFor }: Dependencies) {
  return async ({ id, endsAtMs }: Reservation, image: SettledImage): Promise<boolean> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const isRecorded = await markDone(database, id, image);
        if (attempt > 1) log.info({ id, attempt }, "a delivered capture has been recorded");
        return isRecorded;
      } catch (error) {
        const pauseMs = Math.min(pausesMs.first * 2 ** (attempt - 1), pausesMs.max);
        if (clock.now() + pauseMs >= endsAtMs) throw error;
        if (attempt === 1) log.warn({ err: error, id }, "failed to record a delivered capture; retrying");
        await pause(pauseMs);
      }
    }
  };
}

const pauseFor = (ms: number): Promise<unknown> => delay(ms, undefined, { ref: false });

/** False when the record is no longer pending. */
async function markDone(database: Queries, id: string, image: SettledImage): Promise<boolean> {
  const { format, width, height, bytes, durationMs, objectKey, verdict, verdictReason, explanation, title } = image;
  const { targetStatus, finalUrl, warnings, timings } = image;
  const { rowCount } = await database.query({
    name: "settle_screenshot",
    timeoutMs: Number.POSITIVE_INFINITY,
    text: `update screenshots
              set status = 'done', lease_until = null, format = $2, width = $3, height = $4, bytes = $5, duration_ms = $6, object_key = $7,
                  verdict = $8, verdict_reason = $9, explanation = $10::jsonb, title = $11, target_status = $12, final_url = $13,
                  warnings = $14::jsonb, timings = $15::jsonb
            where id = $1 and status = 'pending'`,
    values: [
      id,
      format,
      width,
      height,
      bytes,
      Math.round(durationMs),
      objectKey,
      verdict,
      verdictReason,
      explanation ? jsonbText(explanation) : null,
      storedTitle(title),
      targetStatus,
      finalUrl,
      jsonbText(warnings),
      jsonbText(timings),
    ],
  });
  return rowCount === 1;
}

/** At most 300 characters. PostgreSQL doesn't store NUL, which a page's script can put into its title. */
function storedTitle(title: string): string | null {
  return title.replaceAll("\0", "").trim().slice(0, 300) || null;
}

/** False when the capture's answer was already confirmed, or its cost refunded. */
export async function markAnswered(database: Queries, captureId: string): Promise<boolean> {
  const { rowCount } = await database.query("update captures set answer_by = null where id = $1 and answer_by is not null", [captureId]);
  return rowCount === 1;
}
