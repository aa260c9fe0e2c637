/** A minimal client for Chromium's protocol: JSON over a pipe. */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { executablePath, extraArgs, quality, type Shot } from "./host.ts";

export interface Pipe {
  // biome-ignore lint/suspicious/noExplicitAny: responses differ for each method
  send(method: string, params?: object, sessionId?: string): Promise<any>;
  /** Resolves with the session's next event of that name. */
  once(method: string, sessionId: string): Promise<void>;
}

/** A headless Chromium that exits with this process. */
export function openPipe(): Pipe {
  const profile = mkdtempSync(join(tmpdir(), "tintype-bench-"));
  const args = [
    "--headless",
    "--remote-debugging-pipe",
    `--user-data-dir=${profile}`,
    "--hide-scrollbars",
    "--disable-gpu",
    "--no-first-run",
  ];
  const child = spawn(executablePath, [...args, ...extraArgs, "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const output = child.stdio[3] as Writable;
  const input = child.stdio[4] as Readable;
  process.once("exit", () => {
    child.kill("SIGKILL");
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });

  const calls = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const waiting = new Map<string, () => void>();
  let id = 0;
  let parts: Buffer[] = [];
  input.on("data", (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      parts.push(chunk.subarray(start, end));
      receive(JSON.parse(Buffer.concat(parts).toString()));
      parts = [];
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  });

  function receive(message: { id?: number; method?: string; sessionId?: string; result?: unknown; error?: { message: string } }): void {
    if (message.id === undefined) {
      const key = `${message.sessionId} ${message.method}`;
      waiting.get(key)?.();
      waiting.delete(key);
      return;
    }
    const call = calls.get(message.id);
    calls.delete(message.id);
    if (message.error) call?.reject(new Error(message.error.message));
    else call?.resolve(message.result);
  }

  return {
    send(method, params = {}, sessionId) {
      id += 1;
      output.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
      return new Promise((resolve, reject) => calls.set(id, { resolve, reject }));
    },
    once: (method, sessionId) => new Promise((resolve) => waiting.set(`${sessionId} ${method}`, resolve)),
  };
}

/** Navigates a page to `url`, or writes `html` into it, waits for its load event and captures it. */
export async function shootIn(pipe: Pipe, sessionId: string, { url, html, fullPage, type }: Shot): Promise<Buffer> {
  const loaded = pipe.once("Page.loadEventFired", sessionId);
  const { errorText } = await (html === undefined
    ? pipe.send("Page.navigate", { url }, sessionId)
    : pipe.send(
        "Runtime.evaluate",
        { expression: `document.open(); document.write(${JSON.stringify(html)}); document.close()` },
        sessionId,
      ));
  if (errorText !== undefined) throw new Error(errorText);
  await loaded;
  const frame = fullPage ? await wholePage(pipe, sessionId) : {};
  const compression = type === "jpeg" ? { quality } : {};
  const shot = await pipe.send("Page.captureScreenshot", { format: type, optimizeForSpeed: true, ...compression, ...frame }, sessionId);
  return Buffer.from(shot.data, "base64");
}

async function wholePage(pipe: Pipe, sessionId: string): Promise<object> {
  const { cssContentSize } = await pipe.send("Page.getLayoutMetrics", {}, sessionId);
  return { captureBeyondViewport: true, clip: { ...cssContentSize, x: 0, y: 0, scale: 1 } };
}
