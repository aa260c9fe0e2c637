/** Destinations on the test's own database and S3 server, with a queue and a clock that the test advances. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { v7 } from "uuid";
import { copiesOf, createAddCopies, createCopyStored } from "../../../src/accounts/destinations/copies.ts";
import { createCopier, createTest } from "../../../src/accounts/destinations/copy.ts";
import { createDestinations, type NewDestination } from "../../../src/accounts/destinations/destinations.ts";
import { createCharge } from "../../../src/accounts/usage/charge.ts";
import { parseAllowedHosts } from "../../../src/egress/address-policy.ts";
import { createVet } from "../../../src/egress/vet.ts";
import type { NewJob } from "../../../src/jobs/queue.ts";
import { createSeal } from "../../../src/shared/seal.ts";
import { createConnections } from "../../../src/start/network.ts";
import { createFileStore } from "../../../src/storage/folder.ts";
import { objectKey } from "../../../src/storage/link.ts";
import { createMetrics } from "../../../src/telemetry/metrics.ts";
import { createAddressCheck } from "../../../src/webhooks/addresses.ts";
import { createWebhooks } from "../../../src/webhooks/webhooks.ts";
import { logLines } from "../../screenshots/log-lines.ts";
import { isSigned } from "../../storage/signature.ts";
import {
  accessKeyId,
  observer,
  type SeenRequest,
  type StorageServer,
  secretAccessKey,
  startStorage,
} from "../../storage/storage-server.ts";
import { createTestClock } from "../../support/clock.ts";
import { createTestDatabase } from "../../support/database.ts";
import type { Scope } from "../../support/scope.ts";
import { createQuotaKey } from "../accounts.ts";
import { settledImage } from "../usage/settled-image.ts";

const authSecret = "a secret for tests that is long enough";
const { signal } = new AbortController();
export const bucket = "pictures";

const refused = (status: number, code: string) => ({
  status,
  xml: `<Error><Code>${code}</Code><Message>${accessKeyId}</Message><AWSAccessKeyId>${accessKeyId}</AWSAccessKeyId></Error>`,
});

/** A server that has the bucket, and checks signatures of everyone but the observer. */
export async function startBucket(t: Scope): Promise<StorageServer> {
  const server = await startStorage(t);
  await observer(t, server.port).send(new CreateBucketCommand({ Bucket: bucket }));
  server.requests.length = 0;
  checkSignatures(server);
  return server;
}

export function checkSignatures(
  server: StorageServer,
  before: (request: SeenRequest) => ReturnType<StorageServer["before"]> = () => undefined,
) {
  server.before = (request) => {
    if (request.headers.authorization?.includes("Credential=observer/")) return undefined;
    return isSigned(request, { [accessKeyId]: secretAccessKey }) ? before(request) : refused(403, "SignatureDoesNotMatch");
  };
}

/** @param allowedHosts private addresses that may be reached, after the destination has been saved. */
export async function setUp(t: TestContext, { timeoutMs, allowedHosts = "127.0.0.1" }: { timeoutMs?: number; allowedHosts?: string } = {}) {
  const database = await createTestDatabase(t);
  const server = await startBucket(t);
  const folder = await mkdtemp(join(tmpdir(), "tintype-copies-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const { log, lines } = logLines();
  const store = createFileStore(folder, log);
  await store.prepare(signal);
  const clock = createTestClock(new Date());
  const seal = createSeal(authSecret, "access keys of destinations");
  const connectionsTo = (hosts: string) => createConnections(createVet({ allowedHosts: parseAllowedHosts(hosts), infrastructure: [] }));
  const { connect } = connectionsTo(allowedHosts);
  const sending = { database, store, seal, connect, clock, allowHttp: true, timeoutMs };
  /** Includes jobs whose transaction may have been rolled back: those do nothing. */
  const jobs: NewJob[] = [];
  const webhooks = createWebhooks({
    ...connectionsTo("127.0.0.1"),
    ...{ database, clock, log, authSecret, allowHttp: true },
    copier: createCopier(sending),
    metrics: createMetrics(),
    queue: { send: async (_queries, job) => void jobs.push(job) },
  });
  const addCopies = createAddCopies(clock, webhooks.enqueue);
  const { vetTarget } = connectionsTo("127.0.0.1");
  const destinations = createDestinations({ database, seal, assertUrl: createAddressCheck({ vetTarget, allowHttp: true }) });
  const caller = await createQuotaKey(database, 1_000);
  const charge = createCharge({ database, clock, log });
  return {
    ...{ database, server, store, clock, jobs, webhooks, destinations, caller, charge, lines },
    copyStored: createCopyStored(database, addCopies),
    testDestination: createTest(sending),
    save: (changes: Partial<NewDestination> = {}) =>
      destinations.save(
        database,
        caller,
        {
          ...{ name: "archive", endpoint: `http://127.0.0.1:${server.port}`, bucket, region: "us-east-1", pathStyle: true },
          ...{ template: "{host}/{name}.{ext}", accessKeyId, secretAccessKey },
          ...changes,
        },
        signal,
      ),
    /** Records a stored screenshot as a capture does, with its copy. @param bytes null: it could not be stored. @returns its id. */
    async capture(bytes: Buffer | null, destination?: string): Promise<string> {
      const id = v7();
      const about = { url: "https://example.com/a", options: {}, cacheKey: Buffer.alloc(32), reservedMs: 60_000 };
      const [reservation] = await charge.reserve(caller, [{ outputs: [{ id, ...about, expiresAt: new Date(Date.now() + 3_600_000) }] }]);
      const key = bytes && objectKey(id, "png");
      if (key) await store.put(key, bytes, { contentType: "image/png", metadata: {} }, signal);
      const wanted = { userId: caller.userId, screenshots: [id], label: undefined, areNew: true };
      const onRecorded =
        destination === undefined
          ? undefined
          : (queries: Parameters<typeof addCopies>[0]) => addCopies(queries, { ...wanted, destination });
      await charge.settle(reservation, {
        ...settledImage,
        ...{ format: "png", bytes: bytes?.length ?? settledImage.bytes, objectKey: key, onRecorded },
      });
      return id;
    },
    copyOf: async (id: string) => (await copiesOf(database, caller.userId, [id])).get(id)?.[0],
    /** Runs the oldest job, after moving the clock to when it is due; returns false if there is none. */
    async runNext(): Promise<boolean> {
      const job = jobs.shift();
      if (!job) return false;
      if (job.startAfter) clock.advance(Math.max(job.startAfter.getTime() - clock.now(), 0));
      await webhooks.deliver(job, signal);
      return true;
    },
    /** The request of the latest copy. */
    sent: () => server.requests.findLast(({ method }) => method === "PUT"),
  };
}
