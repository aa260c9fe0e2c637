/** Limits how long one turn of the event loop handles what connections have sent, like the API. */

import type { Server } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "./client-limits.ts";

/** Maximum time per turn for each kind of connection, in milliseconds, before a last read of up to 64 KB. */
const turnMs = 10;
/** Mean time per read from which a connection is costly, in milliseconds. */
const costlyMs = 1;
const releasedMax = 1_024;
/** Maximum number of connections accepted, and of CPU time in microseconds, before the waiting connections are read again. */
const acceptedMax = { connections: 256, cpuUs: 10_000 };

interface Connection {
  socket: Socket;
  address: string;
  reads: number;
  readsMs: number;
  /** Whether its reader has paused it while it waited. */
  isPaused: boolean;
}

/** Connections that share their time, so that a flood of one kind doesn't delay the other kinds. */
interface Kind {
  /** By address, in order of arrival. */
  waiting: Map<string, Set<Connection>>;
  /** In this turn. */
  spentMs: number;
  /** Number of connections released per turn: as many as the time allows; those that have sent nothing take none. */
  released: number;
}

/**
 * libuv reads from every connection that has sent something before other work gets a turn. Once the time of a kind is up - new connections,
 * those whose reads have been cheap so far, and costly ones - its connections wait, and some of them are read in each of the next turns: one
 * of each address after another, so that many connections of one address don't delay another's. libuv accepts one connection in a turn: new
 * ones wait until no more have arrived.
 */
export function limitReads(server: Server): void {
  const open = new Set<Connection>();
  const [fresh, cheap, costly] = [createKind(), createKind(), createKind()];
  const kinds = [fresh, cheap, costly];
  const kindOf = ({ reads, readsMs }: Connection) => (reads === 0 ? fresh : readsMs < costlyMs * reads ? cheap : costly);
  let isTurnOpen = false;
  const arrivals = createArrivals();
  /** The latest read of this turn, and when its listeners had returned. What they have left for later runs before the next read. */
  let latest: { kind: Kind; at: number } | undefined;

  const endTurn = () => {
    isTurnOpen = false;
    latest = undefined;
    if (arrivals.areMoreExpected()) return beginTurn();
    for (const kind of kinds) releaseSome(kind);
    if (kinds.some(({ waiting }) => waiting.size > 0)) beginTurn();
  };
  const beginTurn = () => {
    if (!isTurnOpen) setImmediate(endTurn);
    isTurnOpen = true;
  };
  const hold = (kind: Kind) => {
    for (const one of open) if (kindOf(one) === kind && stopReading(one)) wait(kind, one);
  };

  server.on("connection", (socket) => {
    const connection: Connection = { socket, address: networkOf(socket.remoteAddress ?? "closed"), reads: 0, readsMs: 0, isPaused: false };
    open.add(connection);
    arrivals.add();
    beginTurn();
    // In a tick, because Node starts to read in one.
    process.nextTick(() => {
      if (!socket.destroyed && stopReading(connection)) wait(fresh, connection);
    });
    socket.once("close", () => {
      open.delete(connection);
      for (const { waiting } of kinds) takeOut(waiting, connection);
    });
    let began = 0;
    socket.prependListener("data", () => {
      beginTurn();
      began = performance.now();
      if (latest) latest.kind.spentMs += began - latest.at;
    });
    // Runs after Node's listener, which parses what has been read.
    socket.on("data", () => {
      const kind = kindOf(connection);
      const at = performance.now();
      const ms = at - began;
      latest = { kind, at };
      kind.spentMs += ms;
      connection.reads += 1;
      connection.readsMs += ms;
      if (kind.spentMs >= turnMs) hold(kind);
      // What has arrived while it waited would follow in this turn: its body behind its head.
      const next = kindOf(connection);
      if (next !== kind && next.spentMs >= turnMs && stopReading(connection)) wait(next, connection);
    });
  });
}

/** Counts the connections accepted since the waiting ones have last been read. */
function createArrivals() {
  let hasNew = false;
  let since: { connections: number; cpuUs: number } | undefined;
  return {
    add: () => {
      hasNew = true;
    },
    /** At the end of a turn: whether it has accepted one, and the waiting connections needn't be read yet. */
    areMoreExpected: () => {
      if (hasNew) {
        hasNew = false;
        since ??= { connections: 0, cpuUs: threadCpuUs() };
        since.connections += 1;
        if (since.connections < acceptedMax.connections && threadCpuUs() - since.cpuUs < acceptedMax.cpuUs) return true;
      }
      since = undefined;
      return false;
    },
  };
}

function threadCpuUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

function createKind(): Kind {
  return { waiting: new Map(), spentMs: 0, released: 1 };
}

function releaseSome(kind: Kind): void {
  kind.released = kind.spentMs < turnMs ? Math.min(2 * kind.released, releasedMax) : Math.max(1, kind.released >> 1);
  kind.spentMs = 0;
  for (let left = kind.released; left > 0; left -= 1) {
    const [address, connections] = kind.waiting.entries().next().value ?? [];
    const [connection] = connections ?? [];
    if (address === undefined || connections === undefined || connection === undefined) return;
    connections.delete(connection);
    kind.waiting.delete(address);
    if (connections.size > 0) kind.waiting.set(address, connections); // behind the other addresses
    readAgain(connection);
  }
}

function wait({ waiting }: Kind, connection: Connection): void {
  const connections = waiting.get(connection.address);
  if (connections) connections.add(connection);
  else waiting.set(connection.address, new Set([connection]));
}

function takeOut(waiting: Kind["waiting"], connection: Connection): void {
  const connections = waiting.get(connection.address);
  if (connections?.delete(connection) && connections.size === 0) waiting.delete(connection.address);
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
