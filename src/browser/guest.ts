/** A program that sends commands to a lent browser itself, over the pipe that this process uses, too. */

import type { Pipe } from "./pipe.ts";

export interface GuestListener {
  /** `event`: its name; undefined for a response, whose `id` is the one that `send` returned. */
  onMessage(message: Buffer, event: string | undefined): void;
  /** Called with true when Chromium takes less than it is sent, with false once it has taken all. */
  onBacklog(isBehind: boolean): void;
  /** Called once, when the browser has ended or its pipe was closed. */
  onEnd(): void;
  /** Called when the browser sends more events than it may; its pipe is closed then. */
  onFlood(): void;
}

export interface Guest extends Pick<Pipe, "pause" | "resume"> {
  /** Sends a command under a new id, which is returned. @param command without an id. */
  send(command: object): number;
}

/** Commands of this process have lower ids: it sends a few. Chromium's are 32-bit integers. */
const firstId = 1_000_000_000;

/** The id of a response, which Chromium writes first; undefined if it has none. */
export function idOf(response: Buffer): number | undefined {
  const id = /^\{"id":(\d+),/.exec(response.toString("latin1", 0, 24))?.[1];
  return id === undefined ? undefined : Number(id);
}

/** Sessions of this process in a browser that is lent, and their children. */
export function createOwnSessions() {
  const ids = new Set<string>();
  return {
    add: (sessionId: string) => void ids.add(sessionId),
    /** Whether an event is one of theirs. To be called with every event: it keeps the list. */
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

/** The session of an event, which Chromium writes last; undefined: the browser's. */
function sessionOf(event: Buffer): string | undefined {
  return /"sessionId":"(\w+)"\}$/.exec(event.toString("latin1", Math.max(0, event.length - 80)))?.[1];
}

/** `takes` says whether a message is the guest's, and delivers it then. */
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
    takes: (message: Buffer, event: string | undefined) => {
      if (event === undefined && (idOf(message) ?? firstId) < firstId) return false;
      onMessage(message, event);
      return true;
    },
    backlog: onBacklog,
    end: onEnd,
  };
}
