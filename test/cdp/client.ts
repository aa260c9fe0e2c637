/** A DevTools protocol client that sends and receives individual messages over a WebSocket. */

import { once } from "node:events";
import { WebSocket } from "ws";
import type { Scope } from "../support/scope.ts";

type Json = Record<string, unknown>;

export interface Client {
  socket: WebSocket;
  /** Rejects with the error's message. */
  send(method: string, params?: Json, sessionId?: string): Promise<Json>;
  /** A session with a new page in a new context, in which `Page` events are enabled. */
  openPage(): Promise<{ sessionId: string; targetId: string; browserContextId: string }>;
  /** The events so far. */
  events: { method: string; params: Json; sessionId?: string }[];
  closed: Promise<{ code: number; reason: string }>;
}

interface Message {
  id?: number;
  method: string;
  params: Json;
  result: Json;
  error?: { message: string };
}

/** `t` closes it when the test ends. @throws if the connection is refused. */
export async function openClient(t: Scope, address: string, headers: Record<string, string> = {}): Promise<Client> {
  const socket = new WebSocket(address, { headers, maxPayload: 512 * 1024 * 1024 });
  t.after(() => socket.terminate());
  const waiting = new Map<number, PromiseWithResolvers<Json>>();
  const events: Client["events"] = [];
  const closed = once(socket, "close").then(([code, reason]) => ({ code: Number(code), reason: String(reason) }));
  socket.on("message", (data) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.id === undefined) return events.push(message);
    const { resolve, reject } = waiting.get(message.id) as PromiseWithResolvers<Json>;
    return message.error ? reject(new Error(message.error.message)) : resolve(message.result);
  });
  await once(socket, "open");
  socket.on("error", () => {}); // followed by "close"
  let id = 0;
  const send: Client["send"] = (method, params = {}, sessionId = undefined) => {
    id += 1;
    const response = Promise.withResolvers<Json>();
    waiting.set(id, response);
    socket.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }));
    return response.promise;
  };
  void closed.then(() => {
    for (const { reject } of waiting.values()) reject(new Error("The connection is closed"));
  });
  return {
    socket,
    send,
    events,
    closed,
    openPage: async () => {
      const { browserContextId } = await send("Target.createBrowserContext", { disposeOnDetach: true });
      const { targetId } = await send("Target.createTarget", { url: "about:blank", browserContextId });
      const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
      await send("Page.enable", {}, String(sessionId));
      return { sessionId: String(sessionId), targetId: String(targetId), browserContextId: String(browserContextId) };
    },
  };
}

/** The response to a WebSocket request that is refused. */
export async function refusalOf(address: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(address, { headers });
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; headers: Json; body: Record<"code" | "message", string> }>();
  socket.on("error", () => {});
  socket.once("open", () => {
    socket.terminate();
    reject(new Error("The connection was accepted"));
  });
  socket.once("unexpected-response", async (_request, response) => {
    let text = "";
    for await (const chunk of response) text += chunk;
    resolve({ status: Number(response.statusCode), headers: response.headers, body: JSON.parse(text) });
    socket.terminate();
  });
  return await promise;
}
