/** Limits how long one turn of the event loop handles what connections have sent, like the API. */

import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Maximum time per turn, in milliseconds, before a last read of up to 64 KB. */
const turnMs = 20;
/** Mean time per read from which a connection is costly, in milliseconds. */
const costlyMs = 1;
const releasedMax = 256;

interface Connection {
  socket: Socket;
  reads: number;
  readsMs: number;
  /** Whether its reader has paused it while it waited. */
  isPaused: boolean;
}

/**
 * libuv reads from every connection that has sent something before other work gets a turn. Once the time is up, all connections wait, and
 * each turn then reads from as many as the time allows, alternating between new ones, those whose reads have been cheap so far, and the
 * others, so that a flood of one kind doesn't delay the other kinds.
 */
export function limitReads(server: Server): void {
  const open = new Set<Connection>();
  const [fresh, cheap, costly] = [new Set<Connection>(), new Set<Connection>(), new Set<Connection>()];
  const held = [fresh, cheap, costly];
  let [spentMs, released, isTurnOpen] = [0, 1, false];

  const hold = (connection: Connection) => {
    if (!stopReading(connection)) return;
    const { reads, readsMs } = connection;
    (reads === 0 ? fresh : readsMs < costlyMs * reads ? cheap : costly).add(connection);
  };
  const forget = (connection: Connection) => {
    for (const connections of held) connections.delete(connection);
  };
  const isHolding = () => held.some(({ size }) => size > 0);
  const endTurn = () => {
    isTurnOpen = false;
    released = spentMs < turnMs ? Math.min(2 * released, releasedMax) : Math.max(1, released >> 1);
    spentMs = 0;
    for (let left = released; left > 0 && isHolding(); )
      for (const [next] of held) {
        left -= 1;
        if (!next) continue;
        forget(next);
        readAgain(next);
      }
    if (isHolding()) beginTurn();
  };
  const beginTurn = () => {
    if (!isTurnOpen) setImmediate(endTurn);
    isTurnOpen = true;
  };

  server.on("connection", (socket) => {
    const connection: Connection = { socket, reads: 0, readsMs: 0, isPaused: false };
    open.add(connection);
    socket.once("close", () => {
      open.delete(connection);
      forget(connection);
    });
    let began = 0;
    socket.prependListener("data", () => {
      beginTurn();
      began = performance.now();
    });
    // Runs after Node's listener, which parses what has been read.
    socket.on("data", () => {
      const ms = performance.now() - began;
      connection.reads += 1;
      connection.readsMs += ms;
      spentMs += ms;
      if (spentMs >= turnMs) for (const one of open) hold(one);
    });
  });
}

/** @returns whether it was being read. */
function stopReading(connection: Connection): boolean {
  const { socket } = connection;
  if (socket.isPaused()) return false;
  socket.pause();
  connection.isPaused = false;
  const set = (isPaused: boolean) => () => {
    connection.isPaused = isPaused;
    return socket;
  };
  Object.assign(socket, { pause: set(true), resume: set(false) });
  return true;
}

function readAgain({ socket, isPaused }: Connection): void {
  for (const own of ["pause", "resume"]) Reflect.deleteProperty(socket, own);
  if (!isPaused) socket.resume();
}
