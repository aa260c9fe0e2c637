/** Passes messages between a WebSocket and a lent browser, as far as the policy allows. */

import type { WebSocket } from "ws";
import { idOf } from "../browser/guest.ts";
import type { LentBrowser } from "../browser/lent.ts";
import { assertBounded } from "./message-bounds.ts";
import { answerTo, BadMessage, parseCommand, refusalOf, withId } from "./messages.ts";
import { type Command, isOwnTarget, judge } from "./policy.ts";

/** Ends the connection. @param code of the WebSocket. @param reason for people, at most 123 bytes. */
export type End = (code: number, reason: string) => void;

/** Commands without a response yet. */
const pendingMax = 5_000;
/**
 * Messages that the program has not taken yet: above the first, nothing is read from the browser and from the program, whose commands may be
 * answered here, until there are fewer than the second.
 */
const backlogBytes = { high: 8 * 1024 * 1024, low: 1024 * 1024 };
/** A program that takes nothing for so long is gone. */
const stalledMs = 60_000;

type Pending = Pick<Command, "id" | "method"> & { sessionId: string | undefined };

/** Characters of all commands that wait for their page: of a few PDFs with pictures in their headers. */
const waitingLengthMax = 8 * 1024 * 1024;
/** Commands whose result shows the page. */
const imageMethods = new Set(["Page.captureScreenshot", "Page.printToPDF", "Page.startScreencast"]);

/** @param beforeImage commands for an image wait for it. */
export function relay(socket: WebSocket, browser: LentBrowser, end: End, beforeImage?: () => Promise<void>): void {
  const pending = new Map<number, Pending>();
  const endFor = (error: unknown) => (error instanceof BadMessage ? end(error.code, error.message) : end(1011, "The browser failed."));
  const gate = createGate(endFor, beforeImage);
  const hold = createHold(socket);
  const guest = browser.admit({
    onBacklog: (isBehind) => hold("browser", isBehind),
    onMessage: (message, event) => {
      if (event === undefined) void respond(message).catch(() => end(1011, "The browser failed."));
      else if (mayPass(message, event)) toClient(message);
    },
  });
  const toClient = createSender(socket, (isBehind) => {
    if (isBehind) guest.pause();
    else guest.resume();
    hold("program", isBehind);
  });

  const respond = async (response: Buffer) => {
    const id = idOf(response);
    if (id === undefined) return end(1007, "Chromium can't read a message, such as one that is nested deeply.");
    const command = pending.get(id);
    if (!command) return;
    pending.delete(id);
    if (command.method === "Target.createBrowserContext") await denyDownloadsIn(browser, response);
    toClient(withId(response, command.id));
  };
  const mayPass = (message: Buffer, event: string): boolean => {
    if (event === "Target.detachedFromTarget") forget(pending, sessionIn(message).sessionId);
    if (event !== "Target.attachedToTarget") return true;
    const { sessionId, targetInfo, parent } = sessionIn(message);
    if (isOwnTarget(targetInfo?.url ?? "")) return true;
    guest.send({ method: "Target.detachFromTarget", params: { sessionId }, ...(parent === undefined ? {} : { sessionId: parent }) });
    return false;
  };

  const take = (text: string) => {
    const command = parseCommand(text);
    const verdict = judge(command);
    if (verdict.kind === "refuse") return toClient(refusalOf(command, verdict.message));
    if (verdict.kind !== "pass") {
      toClient(answerTo(command, { result: {} }));
      if (verdict.kind === "close") end(1000, "The browser was closed.");
      return;
    }
    const full = gate.fullFor(command.method, text.length, pending.size);
    if (full !== undefined) return toClient(refusalOf(command, full));
    gate.pass(command.method, text.length, () => pass(command, verdict.params));
  };
  const pass = ({ id, ...unnumbered }: Command, params: Command["params"]) => {
    pending.set(guest.send({ ...unnumbered, params }), { id, method: unnumbered.method, sessionId: unnumbered.sessionId });
  };
  socket.on("message", (data, isBinary) => {
    try {
      if (isBinary) throw new BadMessage(1003, "Messages are text, not binary.");
      assertBounded(data as Buffer);
      take(String(data));
    } catch (error) {
      endFor(error);
    }
  });
}

/** @param response to `Target.createBrowserContext`. */
async function denyDownloadsIn(browser: LentBrowser, response: Buffer): Promise<void> {
  const { result } = JSON.parse(response.toString()) as { result?: { browserContextId: string } };
  if (result) await browser.denyDownloads(result.browserContextId);
}

/** Bounds commands without a response. Lets them pass at once, but those for an image after `beforeImage`. @param onFailure called when work fails that had to wait. */
function createGate(onFailure: (error: unknown) => void, beforeImage?: () => Promise<void>) {
  let waiting = 0;
  let waitingLength = 0;
  return {
    /** What there is too much of for another command; undefined: nothing. */
    fullFor: (method: string, length: number, pending: number) => {
      if (pending + waiting >= pendingMax) return `More than ${pendingMax} commands wait for their responses.`;
      const isLate = waitingLength > 0 && imageMethods.has(method);
      return isLate && waitingLength + length > waitingLengthMax ? "Commands for images that wait have too much text." : undefined;
    },
    /** @param length of the command's text, which is kept meanwhile. */
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

/** Reads nothing from the program while the browser takes less than it is sent, or the program itself does. */
function createHold(socket: WebSocket): (behind: "browser" | "program", isBehind: boolean) => void {
  const reasons = new Set<string>();
  return (behind, isBehind) => {
    if (isBehind) reasons.add(behind);
    else reasons.delete(behind);
    if (reasons.size > 0) socket.pause();
    else socket.resume();
  };
}

/** Sends to the program. @param onBacklog called with true when it takes less than it is sent, with false once it has taken most. */
function createSender(socket: WebSocket, onBacklog: (isBehind: boolean) => void): (message: Buffer | string) => void {
  let stalled: NodeJS.Timeout | undefined;
  const goOn = () => {
    clearTimeout(stalled);
    stalled = undefined;
    onBacklog(false);
  };
  const onSent = () => {
    if (stalled && socket.bufferedAmount < backlogBytes.low) goOn();
  };
  socket.once("close", goOn);
  return (message) => {
    if (socket.readyState !== socket.OPEN) return;
    socket.send(message, { binary: false }, onSent);
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

/** What an event about a session says; `parent`: the session that it was sent to, if it isn't the browser's. */
function sessionIn(event: Buffer) {
  const { params, sessionId: parent } = JSON.parse(event.toString()) as SessionEvent;
  return { sessionId: params.sessionId, targetInfo: params.targetInfo, parent };
}

/** Chromium does not answer what was sent to a session that has ended. */
function forget(pending: Map<number, Pending>, sessionId: string): void {
  for (const [id, command] of pending) if (command.sessionId === sessionId) pending.delete(id);
}
