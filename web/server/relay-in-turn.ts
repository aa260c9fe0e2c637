/**
 * Relays responses in turns of the event loop. As long as the kernel accepts the data, Node reads and writes up to 2 MB of each connection
 * in the same turn: with hundreds of connections, other clients would wait for seconds, even if nobody reads the responses.
 */

import { Transform } from "node:stream";

/** Chunks per turn, of at most 64 KB each. */
const chunksPerTurn = 16;

const waiting: (() => void)[] = [];
let isScheduled = false;

function runTurn(): void {
  for (const relay of waiting.splice(0, chunksPerTurn)) relay();
  isScheduled = waiting.length > 0;
  if (isScheduled) setImmediate(runTurn);
}

/** Passes its input on, each chunk when it is its turn among the chunks of all responses. */
export function relayInTurn(): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      waiting.push(() => next(null, chunk));
      if (!isScheduled) setImmediate(runTurn);
      isScheduled = true;
    },
  });
}
