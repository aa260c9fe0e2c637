/** Exchanges messages with Chromium: JSON over a pair of pipes, each message terminated by a zero byte. */

import type { Readable, Writable } from "node:stream";
import { createWaiting } from "./shares.ts";

export interface Pipe {
  /** Batches messages that are sent in the same tick: each write requires a system call and wakes Chromium. */
  send(message: string): void;
  /** Stops reading until `resume`. Until then, Chromium buffers its messages. */
  pause(): void;
  resume(): void;
  /** Sets the size limit for later responses. */
  limitResponses(bytes: number): void;
  /** Stops reading immediately and drops undelivered messages. */
  close(): void;
}

export interface PipeListener {
  /**
   * Called with the length of each event as soon as it is read, before it is delivered, and with infinity for a message that exceeds the
   * size limit.
   */
  onEventRead(byteLength: number): void;
  /**
   * Called in a separate task for each message: code that awaits a response and then listens for an event must not miss the next message.
   * `event` is the event's name, undefined for a response. `rest` holds the remaining parts of a response longer than `joinedBytesMax`.
   */
  onMessage(message: Buffer, event: string | undefined, rest: Buffer[]): void;
  /** Called with true when Chromium reads more slowly than commands are sent, and with false once it has caught up. */
  onBacklog?(isBehind: boolean): void;
  /** Called once, when either side has closed the pipe. */
  onClose(): void;
}

/**
 * Maximum number of messages delivered before other work in the process gets a turn; fewer if they are long, since parsing a megabyte takes
 * a few milliseconds.
 */
const messagesPerTurn = 50;
const bytesPerTurn = 1024 * 1024;

/**
 * The largest legitimate message is an image: 12 million incompressible pixels are 64 MB in Base64. Any other response is converted to text
 * and parsed as a whole, which takes several times its size in memory; the largest legitimate one is an MHTML file of 20 MB.
 */
const byteLengthMax = { image: 256 * 1024 * 1024, response: 32 * 1024 * 1024, event: 16 * 1024 * 1024 };

/** Longer responses are delivered in parts: joining 64 MB takes 20 ms and another 64 MB of memory. */
const joinedBytesMax = 4 * 1024 * 1024;
/** Minimum length of the first of several parts, which contains the event's name or the response's id. */
const headBytes = 256;

/** The first part, and the remaining parts if the message has not been joined. */
type Message = [Buffer, ...Buffer[]];

/** The caller owns both streams and closes them by terminating the browser. */
export function openPipe(toBrowser: Writable, fromBrowser: Readable, { onEventRead, onMessage, onBacklog, onClose }: PipeListener): Pipe {
  const lengthMax = { ...byteLengthMax };
  const split = createSplitter(lengthMax);
  let queue: Message[] = [];
  const due = createWaiting<Message>(([message, ...rest]) => onMessage(message, eventOf(message), rest));
  let isOpen = true;
  let isPaused = false;

  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    queue = [];
    due.clear();
    fromBrowser.destroy();
    onClose();
  };
  const deliverSome = () => {
    if (isPaused) return;
    // While many are postponed, no more are read: Chromium buffers them.
    if (due.count() < messagesPerTurn) due.add(queue.splice(0, countForTurn(queue)));
    if (queue.length === 0) {
      fromBrowser.resume();
    } else {
      fromBrowser.pause();
      setImmediate(deliverSome);
    }
  };
  fromBrowser.on("data", (chunk: Buffer) => {
    const messages = split(chunk);
    if (messages === "too long") onEventRead(Number.POSITIVE_INFINITY);
    else {
      for (const [message] of messages) if (isOpen && eventOf(message) !== undefined) onEventRead(message.length);
      queue.push(...messages);
    }
    if (isOpen) deliverSome();
  });
  fromBrowser.once("close", close);
  for (const stream of [toBrowser, fromBrowser]) stream.on("error", () => {}); // followed by "close"
  return {
    send: batchWrites(toBrowser, onBacklog),
    pause: () => {
      isPaused = true;
      fromBrowser.pause();
    },
    resume: () => {
      isPaused = false;
      deliverSome();
    },
    limitResponses: (bytes) => {
      lengthMax.image = bytes;
      lengthMax.response = bytes;
    },
    close,
  };
}

/** An event's name; undefined for a response. Chromium writes an event's name, or a response's id, first. */
function eventOf(message: Buffer): string | undefined {
  const start = '{"method":"';
  if (message.toString("latin1", 0, start.length) !== start) return undefined;
  return message.toString("latin1", start.length, message.indexOf('"', start.length));
}

/** The start of a response whose result is a PNG, JPEG or WebP image in Base64. */
export const imageStart = /^\{"id":(\d+),"result":\{"data":"(?=iVBORw0K|\/9j\/|UklGR)/;

function kindOf(start: Buffer): keyof typeof byteLengthMax {
  if (eventOf(start) !== undefined) return "event";
  return imageStart.test(start.toString("latin1", 0, headBytes)) ? "image" : "response";
}

function createSplitter(lengthMax: typeof byteLengthMax): (chunk: Buffer) => Message[] | "too long" {
  let parts: Buffer[] = [];
  let byteLength = 0;
  return (chunk) => {
    const messages: Message[] = [];
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      messages.push(messageOf([...parts, chunk.subarray(start, end)]));
      parts = [];
      byteLength = 0;
      start = end + 1;
    }
    if (start === chunk.length) return messages;
    parts.push(chunk.subarray(start));
    byteLength += chunk.length - start;
    if (parts.length === 2 && (parts[0] as Buffer).length < headBytes) parts = [Buffer.concat(parts)];
    return byteLength > lengthMax[kindOf(parts[0] ?? chunk)] ? "too long" : messages;
  };
}

function countForTurn(queue: Message[]): number {
  let bytes = 0;
  const end = queue.findIndex(([message], index) => {
    bytes += message.length;
    return index === messagesPerTurn || (index > 0 && bytes > bytesPerTurn);
  });
  return end === -1 ? queue.length : end;
}

function messageOf(parts: Buffer[]): Message {
  const [first = Buffer.alloc(0), ...rest] = parts;
  if (rest.length === 0) return [first];
  const byteLength = parts.reduce((sum, { length }) => sum + length, 0);
  return byteLength > joinedBytesMax && eventOf(first) === undefined ? [first, ...rest] : [Buffer.concat(parts)];
}

function batchWrites(pipe: Writable, onBacklog: PipeListener["onBacklog"]): (message: string) => void {
  let batch = "";
  if (onBacklog) pipe.on("drain", () => onBacklog(false));
  return (message) => {
    if (batch === "") {
      process.nextTick(() => {
        if (!pipe.write(batch)) onBacklog?.(true);
        batch = "";
      });
    }
    batch += `${message}\0`;
  };
}
