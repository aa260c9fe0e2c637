/** A service whose queue is filled by one account, and the other accounts' captures. */

import { setTimeout as pause } from "node:timers/promises";
import type { RunningContender } from "../contenders.ts";
import { requestJson, requestScreenshot } from "./client.ts";

const perBatch = 1_000;
const options = { width: 640, height: 400 };

/** Queues captures of the page as batches of an account. @returns their ids. @throws {Error} if one is refused. */
export async function fillQueue({ origin, query, headers }: RunningContender, url: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let queued = 0; queued < count; queued += perBatch) {
    const captures = Array.from({ length: Math.min(perBatch, count - queued) }, (_, index) => ({ url: `${url}?queued=${queued + index}` }));
    const { status, body } = await requestJson(`${origin}/v1/batches?${new URLSearchParams(query)}`, headers, {
      shared: options,
      captures,
    });
    if (status !== 202) throw new Error(`the batch was refused: ${status} ${body.toString().slice(0, 200)}`);
    ids.push(JSON.parse(body.toString()).id);
  }
  return ids;
}

/** Cancels the waiting captures of the batches, and waits for the running ones. */
export async function emptyQueue({ origin, query, headers }: RunningContender, ids: string[]): Promise<void> {
  for (const id of ids) {
    const address = `${origin}/v1/batches/${id}?${new URLSearchParams(query)}`;
    await fetch(address, { method: "DELETE", headers });
    while (JSON.parse((await requestScreenshot(address, headers)).body.toString()).status !== "done") await pause(50);
  }
}

export interface QueuedTimes {
  /** Milliseconds from the request to the start, and from the start to the end. */
  waited: number;
  took: number;
}

/** An asynchronous capture of the page. @throws {Error} if it isn't done. */
export async function captureQueued({ origin, query, headers }: RunningContender, url: string): Promise<QueuedTimes> {
  const parameters = new URLSearchParams(query);
  const submitted = await requestJson(`${origin}/v1/captures?${parameters}`, headers, { url, ...options, outputs: [{}], async: true });
  if (submitted.status !== 202) throw new Error(`the capture was refused: ${submitted.body.toString().slice(0, 200)}`);
  const { id } = JSON.parse(submitted.body.toString());
  const { body } = await requestScreenshot(`${origin}/v1/captures/${id}?${parameters}&wait=60`, headers);
  const { status, created_at, started_at, ended_at } = JSON.parse(body.toString());
  if (status !== "done") throw new Error(`the queued capture was not done: ${body.toString().slice(0, 200)}`);
  return { waited: Date.parse(started_at) - Date.parse(created_at), took: Date.parse(ended_at) - Date.parse(started_at) };
}
