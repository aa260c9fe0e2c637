/** Processes that emit and send webhooks, on one database. */

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { freePort } from "../../scripts/stack/ports.ts";
import { parseAllowedHosts } from "../../src/egress/address-policy.ts";
import { createVet } from "../../src/egress/vet.ts";
import { createJobs } from "../../src/jobs/queue.ts";
import { createDestinationServices } from "../../src/start/destination-services.ts";
import { createConnections } from "../../src/start/network.ts";
import { createWebhookServices } from "../../src/start/webhook-services.ts";
import type { ImageStore } from "../../src/storage/store.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import type { TestDatabase } from "../support/database.ts";
import { type ServerProcess, spawnServer } from "../support/process.ts";
import type { Scope } from "../support/scope.ts";
import type { Receiver } from "./receiver.ts";

const log = pino({ level: "silent" });
const config = { AUTH_SECRET: "a secret for tests that is long enough", WEBHOOK_ALLOW_HTTP: true };

const noImages = { get: async () => undefined };

/** A process that emits webhooks and, unless `sends` is false, also sends them. */
export function startProcess(
  database: TestDatabase,
  { sends = true, store = noImages }: { sends?: boolean; store?: Pick<ImageStore, "get"> } = {},
) {
  const jobs = createJobs(database.settings, log);
  const vet = createVet({ allowedHosts: parseAllowedHosts("127.0.0.1"), infrastructure: [] });
  const connections = createConnections(vet);
  const { copier, servicesWith } = createDestinationServices(config, { database, store, connections });
  const parts = { database, jobs, connections, copier, log, metrics: createMetrics() };
  const webhooks = createWebhookServices(config, parts, sends);
  jobs.start();
  database.beforeDrop(() => jobs.close(5_000));
  return {
    jobs,
    copying: servicesWith(webhooks.enqueue),
    /** In a transaction; returns the id. */
    async emit(userId: string, url: string): Promise<string> {
      const id = crypto.randomUUID();
      await database.transaction((transaction) => webhooks.emit(transaction, { id, userId, url, type: "capture.done", data: {} }));
      return id;
    },
  };
}

/** The production process on `database`, which starts sending before it is ready for requests. @param folder of the images. */
export async function startServer(
  t: Scope,
  { settings }: TestDatabase,
  receiver: Pick<Receiver, "host">,
  folder = mkdtempSync(join(tmpdir(), "tintype-webhooks-")),
): Promise<ServerProcess> {
  const { host, port, user, password, database } = settings;
  const server = spawnServer(t, {
    NODE_ENV: "production",
    AUTH_SECRET: config.AUTH_SECRET,
    WEBHOOK_ALLOW_HTTP: "true",
    EGRESS_ALLOWED_HOSTS: receiver.host,
    DATABASE_URL: `postgresql://${user}:${password || "unused"}@${host}:${port}/${database}`,
    REDIS_URL: process.env.TEST_REDIS_URL ?? "",
    REDIS_KEY_PREFIX: `${database}:`,
    STORAGE_URL: `file:${folder}`,
    STORAGE_BUCKET: "tintype",
    STORAGE_REGION: "auto",
    STORAGE_ACCESS_KEY_ID: "test",
    STORAGE_SECRET_ACCESS_KEY: "test-secret",
    PUPPETEER_EXECUTABLE_PATH: process.env.TEST_CHROMIUM ?? "",
    CHROMIUM_SANDBOX: process.env.CHROMIUM_SANDBOX ?? "true",
    MAX_CONCURRENT_SCREENSHOTS: "1",
    HOST: "127.0.0.1",
    PORT: String(await freePort()),
    METRICS_PORT: String(await freePort()),
  });
  return server;
}
