/** Spreads work over several turns of the event loop: processing 50 MB in one turn would block all other requests for 100 ms or more. */

import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { ownerOfWork } from "./work-owner.ts";

/**
 * Returns a function whose calls resolve at most `perTurn` of them per turn of the event loop, and no further ones once what they did has
 * taken `msPerTurn`: an owner's in order, and one of each owner after another. For work that many requests would otherwise do in the same
 * turn, for example when their bodies arrive together or a shared wait ends.
 */
export function createTurns(perTurn: number, msPerTurn = Number.POSITIVE_INFINITY): (owner?: string) => Promise<void> {
  const waiting = new Map<string, (() => void)[]>();
  let isScheduled = false;
  const schedule = () => {
    isScheduled = true;
    setImmediate().then(() => resolveSome(perTurn, performance.now()));
  };
  const resolveNext = () => {
    for (const [owner, calls] of waiting) {
      waiting.delete(owner);
      calls.shift()?.();
      if (calls.length > 0) waiting.set(owner, calls); // behind the other owners
      return;
    }
  };
  const resolveSome = (left: number, began: number) => {
    if (waiting.size === 0) isScheduled = false;
    else if (left === 0 || performance.now() - began >= msPerTurn) schedule();
    else {
      resolveNext();
      // Ticks run once no promise has anything left to do, so the time that this call's work took is known then.
      queueMicrotask(() => process.nextTick(resolveSome, left - 1, began));
    }
  };
  return (owner = "") =>
    new Promise((resolve) => {
      if (!isScheduled) schedule();
      const calls = waiting.get(owner);
      if (calls) calls.push(resolve);
      else waiting.set(owner, [resolve]);
    });
}

/** Time per turn of the event loop for everything that takes a turn, in milliseconds. An output takes about a quarter of one, but some take several. */
export const turnMs = 10;

/**
 * Resolves when it is the turn of the account, or of another owner. As much as the time allows shares one: bodies arrive together, and their
 * rate limits are counted together, but a single body may take over ten milliseconds.
 */
export const turnOf = createTurns(Number.POSITIVE_INFINITY, turnMs);

/**
 * Returns a function to await in a loop over text from outside: it pauses the loop once it has run for 10 ms, until its account's next turn.
 * Counting iterations or characters instead would say nothing about the time they take.
 */
export function createPauses(account = ownerOfWork()): () => Promise<void> | undefined {
  let began = Number.NEGATIVE_INFINITY;
  const pause = async () => {
    await turnOf(account);
    began = performance.now();
  };
  return () => (performance.now() - began < turnMs ? undefined : pause());
}

/** Runs all `steps`, as many per turn as the time allows. */
export async function runInTurns<T>(steps: Generator<void, T>): Promise<T> {
  const pause = createPauses();
  for (;;) {
    await pause();
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Loads modules one after another, each in a separate turn: large libraries together take 0.2 s. @returns the last module. */
export async function loadInTurns<T>(last: () => Promise<T>, ...before: (() => Promise<unknown>)[]): Promise<T> {
  for (const load of before) {
    await load();
    await setImmediate();
  }
  return await last();
}

/** Bytes that take a few milliseconds to process. */
export const bytesPerTurn = 512 * 1024;

/** Yields each piece in its own turn of the event loop. */
export async function* piecesOf(bytes: Buffer, pieceLength = bytesPerTurn): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += pieceLength) {
    if (start > 0) await setImmediate();
    yield bytes.subarray(start, start + pieceLength);
  }
}

/** @returns a buffer that doesn't share its memory with any other. */
export async function joinInChunks(parts: Buffer[]): Promise<Buffer<ArrayBuffer>> {
  const joined = Buffer.allocUnsafeSlow(lengthOf(parts));
  let end = 0;
  let inTurn = 0;
  for (const part of parts)
    for (let start = 0; start < part.length; start += bytesPerTurn) {
      const piece = part.subarray(start, start + bytesPerTurn);
      inTurn += piece.length;
      if (inTurn > bytesPerTurn) {
        await setImmediate();
        inTurn = piece.length;
      }
      end += piece.copy(joined, end);
    }
  return joined;
}

export function lengthOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** Reads at most `bytesMax` bytes, and then destroys the stream. @throws the stream's error. */
export async function readAtMost(stream: AsyncIterable<Uint8Array>, bytesMax: number): Promise<{ bytes: Buffer; isCut: boolean }> {
  const parts: Buffer[] = [];
  let left = bytesMax;
  for await (const part of stream) {
    parts.push(Buffer.from(part.buffer, part.byteOffset, Math.min(part.length, left)));
    left -= part.length;
    if (left < 0) break;
  }
  return { bytes: await joinInChunks(parts), isCut: left < 0 };
}

/** Reads a stream of buffers to its end. @throws the stream's error. */
export async function readInChunks(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return await joinInChunks(parts);
}

/** @returns a buffer that doesn't share its memory with any other. */
export async function copyInChunks(bytes: Uint8Array): Promise<Buffer<ArrayBuffer>> {
  return await joinInChunks([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)]);
}

/** Avoids `subtle.digest`, which first copies all bytes on this thread. */
export async function sha256(bytes: Buffer): Promise<Buffer> {
  const hash = createHash("sha256");
  for await (const piece of piecesOf(bytes)) hash.update(piece);
  return hash.digest();
}

/** A multiple of four, because four characters encode three bytes. */
const charactersPerTurn = 1024 * 1024;

/** Decodes the parts of a Base64 string, in a single turn if it is short. */
export async function decodeBase64(parts: Buffer[]): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(Math.ceil(lengthOf(parts) / 4) * 3);
  let end = 0;
  let rest = "";
  let inTurn = 0;
  for (const part of parts)
    for (let start = 0; start < part.length; start += charactersPerTurn) {
      const text = rest + part.toString("latin1", start, start + charactersPerTurn);
      if (inTurn > 0 && inTurn + text.length > charactersPerTurn) {
        await setImmediate();
        inTurn = 0;
      }
      inTurn += text.length;
      const whole = text.length - (text.length % 4);
      end += bytes.write(text.slice(0, whole), end, "base64");
      rest = text.slice(whole);
    }
  end += bytes.write(rest, end, "base64");
  return bytes.subarray(0, end);
}
