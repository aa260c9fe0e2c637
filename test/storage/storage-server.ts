/** An S3-compatible storage server within the test, which can be stopped, restarted, delayed and made to reject requests. */

import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import { S3Client } from "@aws-sdk/client-s3";
import { buildApp } from "fauxqs";
import { freePort } from "../../scripts/stack/ports.ts";
import { createS3Store } from "../../src/storage/s3.ts";
import type { S3Limits } from "../../src/storage/s3-client.ts";
import type { ImageStore, StorageSettings } from "../../src/storage/store.ts";
import { type LogLines, logLines } from "../screenshots/log-lines.ts";
import type { Scope } from "../support/scope.ts";

/** What the server saw of a request. */
export interface SeenRequest {
  method: string;
  host: string;
  /** As sent, before the server looks for a bucket in the host name. */
  path: string;
  headers: Record<string, string>;
  /** In Latin-1. */
  body: string;
}

interface Refusal {
  status: number;
  xml: string;
}

export interface StorageServer {
  port: number;
  requests: SeenRequest[];
  /** Called before each request is served; a refusal is sent as the response, a promise delays the request. */
  before: (request: SeenRequest) => undefined | Refusal | Promise<undefined | Refusal>;
  stop(): Promise<void>;
}

/** Starts an empty storage server, on `port` again after a stop; it is stopped when the test ends. */
export async function startStorage(t: Scope, port?: number): Promise<StorageServer> {
  const app = buildApp({ logger: false });
  const server: StorageServer = { port: port ?? (await freePort()), requests: [], before: () => undefined, stop: () => app.close() };
  app.addHook("preHandler", async (request, reply) => {
    const body = Buffer.isBuffer(request.body) ? request.body.toString("latin1") : "";
    const headers = request.headers as Record<string, string>;
    const seen = { method: request.method, host: request.headers.host ?? "", path: request.originalUrl, headers, body };
    server.requests.push(seen);
    const refusal = await server.before(seen);
    if (refusal) return reply.code(refusal.status).type("application/xml").send(refusal.xml);
  });
  await app.listen({ host: "127.0.0.1", port: server.port });
  t.after(() => app.close());
  return server;
}

export const accessKeyId = "AKIATESTONLY";
export const secretAccessKey = "a-secret-of-this-test";

export function storageSettings(port: number, more: Partial<StorageSettings> = {}): StorageSettings {
  return {
    STORAGE_URL: `http://127.0.0.1:${port}`,
    STORAGE_ENDPOINT: "",
    STORAGE_BUCKET: `tintype-${randomUUID()}`,
    STORAGE_REGION: "auto",
    STORAGE_ACCESS_KEY_ID: accessKeyId,
    STORAGE_SECRET_ACCESS_KEY: secretAccessKey,
    STORAGE_USE_PATH_STYLE_ENDPOINT: true,
    ...more,
  };
}

/** The store under test, closed when the test ends. */
export function s3Store(t: TestContext, settings: StorageSettings, limits?: S3Limits): ImageStore & LogLines {
  const lines = logLines();
  const store = createS3Store(settings, lines.log, limits);
  t.after(() => store.close());
  return { ...store, ...lines };
}

/** A separate client, for checking what is really stored. */
export function observer(t: Scope, port: number): S3Client {
  const client = new S3Client({
    endpoint: `http://127.0.0.1:${port}`,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId: "observer", secretAccessKey: "observer" },
  });
  t.after(() => client.destroy());
  return client;
}
