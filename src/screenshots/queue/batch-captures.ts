/** Lists a batch's captures in request order, each with its result. */

import { firstOutputs, type HistoryEntry } from "../../accounts/history/history.ts";
import type { Database } from "../../database/database.ts";
import type { CaptureRecord, CaptureStatus } from "./records.ts";

export interface BatchCapture extends Pick<CaptureRecord, "id" | "status" | "endedAt"> {
  /** Index in the batch's request, from 0. */
  position: number;
  /** Unique in the batch. */
  name: string;
  /** Recorded once the capture has ended. */
  result: object | null;
  /** The first output with a file, otherwise the first output; null if the capture was canceled or deleted. */
  screenshot: HistoryEntry | null;
}

/** At most `limit` captures, following the capture `after`. @param id a batch of this account. */
export async function listBatchCaptures(
  database: Database,
  userId: string,
  { id, status, after, limit }: { id: string; status: CaptureStatus | undefined; after: string | undefined; limit: number },
): Promise<BatchCapture[]> {
  const { rows } = await database.query<Omit<BatchCapture, "screenshot">>(
    `select id, status, result, ended_at as "endedAt", position, name from captures
      where batch_id = $1 and user_id = $2 and ($3::text is null or status = $3)
        and ($4::uuid is null or position > (select a.position from captures a where a.id = $4 and a.batch_id = $1))
      order by position limit $5`,
    [id, userId, status ?? null, after ?? null, limit],
  );
  const made = await firstOutputs(
    database,
    userId,
    rows.map((row) => row.id),
  );
  return rows.map((row) => ({ ...row, screenshot: made.get(row.id) ?? null }));
}
