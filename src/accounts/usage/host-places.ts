/** Begins queued captures: few at once at one host, with a pause between, in all processes together. */

import type { Database, Queries } from "../../database.ts";

/** The same for all processes. */
export interface Politeness {
  /** Captures at one host at the same time. */
  atOnce: number;
  /** Between two of them, from begin to begin. */
  pauseMs: number;
}

/** A capture that is to run now. */
export interface BegunCapture {
  userId: string;
  keyId: string | null;
  request: Buffer;
  /** Milliseconds since it was queued, by the database's clock. */
  ageMs: number;
  batchId: string | null;
}

/** A held capture that has a place now. */
export interface GrantedCapture {
  id: string;
  userId: string;
  /** null: it has begun before. */
  turn: number | null;
}

export interface HostPlaces {
  /**
   * Marks a capture as running; again, if it was begun by a process that died. Undefined if it has ended, was canceled, or is held: then
   * it needs another job once it is granted a place.
   */
  begin(id: string): Promise<BegunCapture | undefined>;
  /** Whether captures are held. */
  areHeld(): Promise<boolean>;
  /** Grants free places. @param queries a transaction, which gives the captures their jobs. */
  grant(queries: Queries): Promise<GrantedCapture[]>;
}

export function createHostPlaces(database: Database, { atOnce, pauseMs }: Politeness): HostPlaces {
  const limits = [atOnce, pauseMs];
  return {
    async begin(id) {
      const { rows } = await database.query<BegunCapture & { isHeld: boolean }>({
        name: "begin_capture",
        text: `select user_id as "userId", key_id as "keyId", request, batch_id as "batchId", is_held as "isHeld",
                      extract(epoch from clock_timestamp() - created_at)::float8 * 1000 as "ageMs"
                 from begin_capture($1, $2, $3 * interval '1 millisecond')`,
        values: [id, ...limits],
      });
      return rows[0]?.isHeld ? undefined : rows[0];
    },
    async areHeld() {
      const { rowCount } = await database.query("select from captures where is_held and status in ('queued', 'running') limit 1");
      return rowCount === 1;
    },
    async grant(queries) {
      const { rows } = await queries.query<GrantedCapture>(
        `select id, user_id as "userId", turn from grant_places($1, $2 * interval '1 millisecond')`,
        limits,
      );
      return rows;
    },
  };
}
