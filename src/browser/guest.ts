/** Lets an external client send commands to a lent browser, over the pipe that this process also uses. */

import type { Pipe } from "./pipe.ts";

export interface GuestListener {
  /**
   * `event` is the event's name; undefined for a response, whose `id` is the one that `send` returned. `rest` holds the remaining parts
   * of a long response.
   */
  onMessage(message: Buffer, event: string | undefined, rest: Buffer[]): void;
  /** Called with true when Chromium reads more slowly than commands are sent, and with false once it has caught up. */
  onBacklog(isBehind: boolean): void;
  /** Called once, when either side has closed the pipe. */
  onEnd(): void;
  /** Called when the browser exceeds its limit on events, or on the size of a message; its pipe is then closed. */
  onFlood(limit: string): void;
}

export interface Guest extends Pick<Pipe, "pause" | "resume"> {
  /** Sends a command and returns its new id. @param command the command, without an id. */
  send(command: object): number;
}

/** The guest's first id. This process uses lower ids, and needs only a few. Chromium's ids are 32-bit integers. */
const firstId = 1_000_000_000;

/** A response's id, which Chromium writes first; undefined if there is none. */
export function idIn(response: Buffer): number | undefined {
  const id = /^\{"id":(\d+),/.exec(response.toString("latin1", 0, 24))?.[1];
  return id === undefined ? undefined : Number(id);
}

/** Tracks this process's own sessions, and their children, in a lent browser. */
export function createOwnSessions() {
  const ids = new Set<string>();
  return {
    add: (sessionId: string) => void ids.add(sessionId),
    /** Whether an event belongs to one of these sessions. Call this with every event, because it also tracks child sessions. */
    has: (message: Buffer, event: string): boolean => {
      if (!ids.has(sessionOf(message) ?? "")) return false;
      if (event === "Target.attachedToTarget" || event === "Target.detachedFromTarget") {
        const { params } = JSON.parse(message.toString()) as { params: { sessionId: string } };
        if (event === "Target.attachedToTarget") ids.add(params.sessionId);
        else ids.delete(params.sessionId);
      }
      return true;
    },
  };
}

/** An event's session id, which Chromium writes last; undefined for the browser-level session. */
function sessionOf(event: Buffer): string | undefined {
  return /"sessionId":"(\w+)"\}$/.exec(event.toString("latin1", Math.max(0, event.length - 80)))?.[1];
}

/** `takes` returns whether a message is for the guest, and delivers it if so. */
export function createGuest(pipe: Pipe, { onMessage, onBacklog, onEnd }: GuestListener) {
  let nextId = firstId;
  return {
    send: (command: object) => {
      const id = nextId;
      nextId += 1;
      pipe.send(JSON.stringify({ ...command, id }));
      return id;
    },
    pause: pipe.pause,
    resume: pipe.resume,
    takes: (message: Buffer, event: string | undefined, rest: Buffer[]) => {
      if (event === undefined && (idIn(message) ?? firstId) < firstId) return false;
      onMessage(message, event, rest);
      return true;
    },
    backlog: onBacklog,
    end: onEnd,
  };
}
