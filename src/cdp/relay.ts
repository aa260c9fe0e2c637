/** Relays messages between a client's WebSocket and a lent browser, subject to the policy. */

import { setImmediate } from "node:timers/promises";
import type { WebSocket } from "ws";
import type { LentBrowser } from "../browser/cdp-browsers.ts";
import { idIn } from "../browser/guest.ts";
import { answerTo, assertBounded, BadMessage, lengthMax, parseCommand, refusalOf, withId } from "./messages.ts";
import { type ClientCommand, isOwnTarget, judgeCommand } from "./policy.ts";

/** Ends the connection. @param code WebSocket close code. @param reason human-readable, at most 123 bytes. */
export type End = (code: number, reason: string) => void;

/** Maximum number of unanswered commands. */
const pendingMax = 5_000;
/**
 * Watermarks for outgoing data that the client has not received yet. Above `high`, reading from the browser pauses, and so does reading
 * from the client, because some of its commands are answered here. Both resume below `low`.
 */
const backlogBytes = { high: 8 * 1024 * 1024, low: 1024 * 1024 };
/** A client whose backlog has not shrunk below `low` after this time is disconnected. */
const stalledMs = 60_000;

type Pending = Pick<ClientCommand, "id" | "method"> & { sessionId: string | undefined };

/** Maximum total size of commands waiting for `beforeImage`, in bytes; enough for a few PDFs with images in their headers. */
const waitingLengthMax = 8 * 1024 * 1024;
/** Commands that return an image or PDF of the page. */
const imageMethods = new Set(["Page.captureScreenshot", "Page.printToPDF", "Page.startScreencast"]);

/** @param beforeImage awaited before each command in `imageMethods`. */
export function relay(socket: WebSocket, browser: LentBrowser, end: End, beforeImage?: () => Promise<void>): void {
  const pending = new Map<number, Pending>();
  const endFor = (error: unknown) => (error instanceof BadMessage ? end(error.code, error.message) : end(1011, "The browser failed."));
  const gate = createGate(endFor, beforeImage);
  const hold = createHold(socket);
  const guest = browser.admit({
    onBacklog: (isBehind) => hold("browser", isBehind),
    onMessage: (message, event, rest) => {
      if (event === undefined) void respond(message, rest).catch(() => end(1011, "The browser failed."));
      else if (mayPass(message, event)) toClient(message);
    },
  });
  const toClient = createSender(socket, (isBehind) => {
    if (isBehind) guest.pause();
    else guest.resume();
    hold("program", isBehind);
  });

  const respond = async (response: Buffer, rest: Buffer[]) => {
    const id = idIn(response);
    if (id === undefined) return end(1007, "Chromium couldn't parse a message; it may be nested too deeply.");
    const command = pending.get(id);
    if (!command) return;
    pending.delete(id);
    if (command.method === "Target.createBrowserContext") await denyDownloadsIn(browser, response);
    toClient(withId(response, command.id), rest);
  };
  const mayPass = (message: Buffer, event: string): boolean => {
    if (event === "Target.detachedFromTarget") forget(pending, sessionIn(message).sessionId);
    if (event !== "Target.attachedToTarget") return true;
    const { sessionId, targetInfo, parent } = sessionIn(message);
    if (isOwnTarget(targetInfo?.url ?? "")) return true;
    guest.send({ method: "Target.detachFromTarget", params: { sessionId }, ...(parent === undefined ? {} : { sessionId: parent }) });
    return false;
  };

  /** Checking, parsing and forwarding a long message takes 0.1 s, so each step gets its own turn of the event loop. */
  const handle = async (message: Buffer | "binary") => {
    if (message === "binary") throw new BadMessage(1003, "Messages must be text, not binary.");
    const nextTurn = message.length > lengthMax.other ? setImmediate : () => undefined;
    assertBounded(message);
    await nextTurn();
    const command = parseCommand(String(message));
    await nextTurn();
    const verdict = judgeCommand(command);
    if (verdict.kind === "refuse") return toClient(refusalOf(command, verdict.message));
    if (verdict.kind !== "pass") {
      toClient(answerTo(command, { result: {} }));
      if (verdict.kind === "close") end(1000, "The browser was closed.");
      return;
    }
    const full = gate.fullFor(command.method, message.length, pending.size);
    if (full !== undefined) return toClient(refusalOf(command, full));
    gate.pass(command.method, message.length, () => pass(command, verdict.params));
  };
  const pass = ({ id, ...unnumbered }: ClientCommand, params: ClientCommand["params"]) => {
    pending.set(guest.send({ ...unnumbered, params }), { id, method: unnumbered.method, sessionId: unnumbered.sessionId });
  };
  readInOrder(socket, (message) => handle(message).catch(endFor), hold);
}

/** Calls `handle` for one message at a time. Reading from the client pauses while a long message is processed. */
function readInOrder(socket: WebSocket, handle: (message: Buffer | "binary") => Promise<void>, hold: ReturnType<typeof createHold>): void {
  let last = Promise.resolve();
  socket.on("message", (data: Buffer, isBinary) => {
    const isLong = data.length > lengthMax.other;
    if (isLong) hold("command", true);
    last = last.then(() => handle(isBinary ? "binary" : data));
    if (isLong) void last.then(() => hold("command", false));
  });
}

/** @param response Chromium's response to `Target.createBrowserContext`. */
async function denyDownloadsIn(browser: LentBrowser, response: Buffer): Promise<void> {
  const { result } = JSON.parse(response.toString()) as { result?: { browserContextId: string } };
  if (result) await browser.denyDownloads(result.browserContextId);
}

/**
 * Limits the number of unanswered commands. Commands are forwarded immediately, or after `beforeImage` if they capture an image.
 * @param onFailure called if `beforeImage` or a delayed command fails.
 */
function createGate(onFailure: (error: unknown) => void, beforeImage?: () => Promise<void>) {
  let waiting = 0;
  let waitingLength = 0;
  return {
    /** The limit that another command would exceed, as an error message; undefined if there is none. */
    fullFor: (method: string, length: number, pending: number) => {
      if (pending + waiting >= pendingMax) return `More than ${pendingMax} commands are waiting for a response.`;
      const isLate = waitingLength > 0 && imageMethods.has(method);
      return isLate && waitingLength + length > waitingLengthMax
        ? "The image commands that are waiting to run are too long in total."
        : undefined;
    },
    /** @param length size of the command in bytes; it is held in memory until it is forwarded. */
    pass: (method: string, length: number, work: () => void) => {
      if (!beforeImage || !imageMethods.has(method)) return work();
      waiting += 1;
      waitingLength += length;
      beforeImage()
        .then(() => {
          waiting -= 1;
          waitingLength -= length;
          work();
        })
        .catch(onFailure);
    },
  };
}

/** Pauses reading from the client while a long command is processed, and while the browser or the client itself has a backlog. */
function createHold(socket: WebSocket): (behind: "browser" | "program" | "command", isBehind: boolean) => void {
  const reasons = new Set<string>();
  return (behind, isBehind) => {
    if (isBehind) reasons.add(behind);
    else reasons.delete(behind);
    if (reasons.size > 0) socket.pause();
    else socket.resume();
  };
}

/**
 * Sends messages to the client; a response in parts is sent as fragments of one message. @param onBacklog called with true when the backlog
 * exceeds `high`, and with false once it is below `low`.
 */
function createSender(socket: WebSocket, onBacklog: (isBehind: boolean) => void): (message: Buffer | string, rest?: Buffer[]) => void {
  let stalled: NodeJS.Timeout | undefined;
  const resume = () => {
    clearTimeout(stalled);
    stalled = undefined;
    onBacklog(false);
  };
  const onSent = () => {
    if (stalled && socket.bufferedAmount < backlogBytes.low) resume();
  };
  socket.once("close", resume);
  return (message, rest = []) => {
    if (socket.readyState !== socket.OPEN) return;
    for (const [index, part] of [message, ...rest].entries()) socket.send(part, { binary: false, fin: index === rest.length }, onSent);
    if (stalled || socket.bufferedAmount <= backlogBytes.high) return;
    onBacklog(true);
    stalled = setTimeout(() => socket.terminate(), stalledMs);
  };
}

interface SessionEvent {
  method: string;
  sessionId?: string;
  params: { sessionId: string; targetInfo?: { url: string } };
}

/** Parses an attach or detach event. `parent` is the session that received it; undefined for the browser's own session. */
function sessionIn(event: Buffer) {
  const { params, sessionId: parent } = JSON.parse(event.toString()) as SessionEvent;
  return { sessionId: params.sessionId, targetInfo: params.targetInfo, parent };
}

/** Drops the pending commands of a session that has ended, since Chromium never responds to them. */
function forget(pending: Map<number, Pending>, sessionId: string): void {
  for (const [id, command] of pending) if (command.sessionId === sessionId) pending.delete(id);
}
