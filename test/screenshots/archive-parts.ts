/** An archive with real storage, and what tests can observe of both. */

import type { TestContext } from "node:test";
import { v7 as uuidV7 } from "uuid";
import { type Archive, createArchive } from "../../src/screenshots/take/archive.ts";
import type { KeptImage } from "../../src/screenshots/take/archive-upload.ts";
import type { ImageStore } from "../../src/storage/store.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { type StorageServer, s3Store, startStorage, storageSettings } from "../storage/storage-server.ts";
import { type Gate, openGate } from "../support/gate.ts";
import { logLines } from "./log-lines.ts";

export const never = new AbortController().signal;

export function image(bytes = 1000, userId: string = uuidV7()): KeptImage {
  return { id: uuidV7(), userId, format: "webp", bytes: Buffer.alloc(bytes, 1), metadata: { url: "https://example.com/" } };
}

export interface ArchiveParts {
  archive: Archive;
  server: StorageServer;
  /** The proxy between the archive and the storage server. */
  gate: Gate;
  store: ImageStore;
  outcomes: (string | null)[];
  done: (objectKey: string | null) => Promise<boolean>;
  counted: (result: string) => Promise<number>;
  messages: (level: number) => unknown[];
}

type Options = Partial<Omit<Parameters<typeof createArchive>[0], "store" | "log" | "metrics">>;

/** An archive on the test's own storage. `options.pause` ends immediately by default. */
export async function setUp(t: TestContext, options: Options = {}): Promise<ArchiveParts> {
  const server = await startStorage(t);
  const gate = await openGate(t, { host: "127.0.0.1", port: server.port });
  const store = s3Store(t, storageSettings(gate.port));
  const { log, messages } = logLines();
  const metrics = createMetrics();
  const outcomes: (string | null)[] = [];
  const archive = createArchive({ store, log, metrics, pendingBytesMax: 10_000, pause: async () => {}, ...options });
  const counted = async (result: string) => {
    const { values } = await metrics.storageUploads.get();
    return values.find(({ labels }) => labels.result === result)?.value ?? 0;
  };
  const done = async (objectKey: string | null) => {
    outcomes.push(objectKey);
    return true;
  };
  return { archive, server, gate, store, outcomes, done, counted, messages };
}
