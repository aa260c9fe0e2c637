/** Moves the cost of a capture with several outputs if the output that was charged fails. */

import type { Database } from "../../database/database.ts";
import type { Reservation } from "./reservation.ts";

/** Moves the cost from one pending output of a capture to another, before the first is refunded. */
export type MoveCost = (from: Reservation, to: Reservation) => Promise<void>;

export function createMoveCost(database: Database): MoveCost {
  return async (from, to) => {
    await database.query(
      `with taken as (update screenshots set costs = 0 where id = $1 and status = 'pending' and costs = 1 returning 1)
       update screenshots set costs = 1 where id = $2 and exists (select from taken)`,
      [from.id, to.id],
    );
  };
}
