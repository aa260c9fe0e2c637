/** Writes an HTTP archive over several turns of the event loop, because a page chooses how much a single request contains. */

import { bytesPerTurn, createPauses, joinInChunks } from "../../shared/turns.ts";
import type { Body } from "./har-bodies.ts";

/** Maximum bytes of an archive, and of the lists in it, such as headers. Bodies have the room that is left. */
const archiveMax = 20_000_000;
const listsMax = 16_000_000;
/** Maximum bytes of what an entry contains besides lists and its body: three of its texts may be long URLs. */
const entryMax = 200_000;

/** Stands for the body in an entry: whether there is room for it is known once all entries are written. */
export const bodyPlace = Symbol("body");

interface Archive {
  bytes: Buffer;
  /** Number of entries written. */
  entries: number;
  areListsCut: boolean;
  areBodiesLeftOut: boolean;
}

/** @param entries JSON values. Their lists may be any iterables, which are read an element at a time. @param bodies by entry. */
export async function writeArchive(log: object, entries: Iterable<object>, bodies: readonly (Body | undefined)[]): Promise<Archive> {
  const parts = [Buffer.from(`{"log":${JSON.stringify(log).slice(0, -1)},"entries":[`)];
  const end = Buffer.from("\n]}}\n");
  /** Where each entry's body belongs in `parts`. */
  const places: number[] = [];
  let used = (parts[0]?.length ?? 0) + end.length;
  let listed = 0;
  let text = "";
  let areListsCut = false;
  const flush = () => {
    parts.push(Buffer.from(text));
    text = "";
  };
  const fits = (json: string) => {
    const bytes = Buffer.byteLength(json);
    const isFitting = listed + bytes <= listsMax && used + bytes <= archiveMax - entryMax;
    if (isFitting) listed += bytes;
    else areListsCut = true;
    return isFitting;
  };
  const pause = createPauses();
  for (const entry of entries) {
    if (used > archiveMax - 2 * entryMax) break;
    text += places.length === 0 ? "\n" : ",\n";
    used += 2;
    for (const piece of jsonOf(entry, fits)) {
      await pause();
      if (piece === bodyPlace || text.length > bytesPerTurn) flush();
      if (piece === bodyPlace) places.push(parts.length);
      else {
        text += piece;
        used += Buffer.byteLength(piece);
      }
    }
  }
  flush();
  const areBodiesLeftOut = await addBodies(parts, places, bodies, archiveMax - used);
  return { bytes: await joinInChunks([...parts, end]), entries: places.length, areListsCut, areBodiesLeftOut };
}

/** @returns whether some are left out. */
async function addBodies(
  parts: Buffer[],
  places: readonly number[],
  bodies: readonly (Body | undefined)[],
  room: number,
): Promise<boolean> {
  let left = room;
  let areLeftOut = false;
  const pause = createPauses();
  for (const [index, place] of places.entries()) {
    const body = bodies[index];
    if (!body) continue;
    await pause();
    const bytes = Buffer.from(`,${JSON.stringify(body).slice(1, -1)}`);
    if (bytes.length > left) areLeftOut = true;
    else {
      left -= bytes.length;
      parts[place] = Buffer.concat([bytes, parts[place] ?? Buffer.alloc(0)]);
    }
  }
  return areLeftOut;
}

/** The JSON of a value in pieces. A list ends before its first element that doesn't fit. */
function* jsonOf(value: unknown, fits: (json: string) => boolean): Generator<string | typeof bodyPlace> {
  if (typeof value !== "object" || value === null) yield JSON.stringify(value);
  else if (Symbol.iterator in value) yield* listOf(value as Iterable<unknown>, fits);
  else {
    yield "{";
    let comma = "";
    for (const [name, member] of Object.entries(value)) {
      if (member === bodyPlace) yield bodyPlace;
      else if (member !== undefined) {
        yield `${comma}${JSON.stringify(name)}:`;
        yield* jsonOf(member, fits);
        comma = ",";
      }
    }
    yield "}";
  }
}

function* listOf(values: Iterable<unknown>, fits: (json: string) => boolean): Generator<string> {
  yield "[";
  let comma = "";
  for (const value of values) {
    const json = `${comma}${JSON.stringify(value)}`;
    if (!fits(json)) break;
    yield json;
    comma = ",";
  }
  yield "]";
}
