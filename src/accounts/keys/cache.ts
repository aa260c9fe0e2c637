/** Remembers which keys exist, for a moment, and forgets them when told. */

import type { Clock } from "../../clock.ts";
import type { ApiKey } from "./authenticate.ts";

const entriesMax = 10_000;
const freshMs = 60_000;
const outageMs = 600_000;
const unknownMs = 5_000;

/**
 * Known and unknown keys are kept apart, so that a flood of unknown ones can't push known ones out.
 * Each drop begins a new generation: what was read from the database in an earlier one is not stored, it may be what was dropped.
 */
export function createKeyCache(clock: Clock) {
  const known = new Map<string, { key: ApiKey; loadedAtMs: number }>();
  const unknown = new Map<string, number>();
  let generation = 0;

  return {
    generation: () => generation,

    /** The key, if it was read less than a minute ago. */
    fresh(id: string): ApiKey | undefined {
      const entry = known.get(id);
      return entry && clock.now() - entry.loadedAtMs < freshMs ? entry.key : undefined;
    },

    /** The key, if it was read less than ten minutes ago: for while the database is away. */
    stale(id: string): ApiKey | undefined {
      const entry = known.get(id);
      return entry && clock.now() - entry.loadedAtMs < outageMs ? entry.key : undefined;
    },

    isUnknown(id: string): boolean {
      return clock.now() < (unknown.get(id) ?? 0);
    },

    store(id: string, key: ApiKey | null, readInGeneration: number): void {
      if (readInGeneration !== generation) return;
      known.delete(id);
      unknown.delete(id);
      if (key) put(known, id, { key, loadedAtMs: clock.now() });
      else put(unknown, id, clock.now() + unknownMs);
    },

    /** Forgets the keys of `userId`, or all, and every unknown one: it may exist now. */
    drop(userId: string | "*"): void {
      generation += 1;
      unknown.clear();
      for (const [id, { key }] of known) if (userId === "*" || key.userId === userId) known.delete(id);
    },
  };
}

/** Inserts as the newest; the oldest makes room. */
function put<V>(map: Map<string, V>, id: string, value: V): void {
  map.set(id, value);
  const oldest = map.size > entriesMax ? map.keys().next().value : undefined;
  if (oldest !== undefined) map.delete(oldest);
}
