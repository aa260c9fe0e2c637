/** Builds the services for destinations (accounts' own buckets) and for copying screenshots to them through the webhook queue. */

import { copiesOf, createAddCopies, createCopyStored } from "../accounts/destinations/copies.ts";
import { createCopier, createTest } from "../accounts/destinations/copy.ts";
import { createDestinations } from "../accounts/destinations/destinations.ts";
import type { Database } from "../database/database.ts";
import type { Config } from "../settings/config.ts";
import { systemClock as clock } from "../shared/clock.ts";
import { createSeal } from "../shared/seal.ts";
import type { ImageStore } from "../storage/store.ts";
import { createAddressCheck } from "../webhooks/addresses.ts";
import type { EnqueueAttempt } from "../webhooks/emit.ts";
import type { Connections } from "./network.ts";

interface Parts {
  database: Database;
  store: Pick<ImageStore, "get">;
  /** Connections through the egress filter. */
  connections: Connections;
}

export function createDestinationServices(
  { AUTH_SECRET, WEBHOOK_ALLOW_HTTP: allowHttp }: Pick<Config, "AUTH_SECRET" | "WEBHOOK_ALLOW_HTTP">,
  { database, store, connections: { vetTarget, connect } }: Parts,
) {
  const seal = createSeal(AUTH_SECRET, "access keys of destinations");
  const sending = { database, store, seal, connect, clock, allowHttp };
  return {
    copier: createCopier(sending),
    /** @param enqueue queues an attempt to copy a screenshot. */
    servicesWith(enqueue: EnqueueAttempt) {
      const addCopies = createAddCopies(clock, enqueue);
      return {
        addCopies,
        copyStored: createCopyStored(database, addCopies),
        readCopies: (userId: string, screenshots: string[]) => copiesOf(database, userId, screenshots),
        destinations: createDestinations({ database, seal, assertUrl: createAddressCheck({ vetTarget, allowHttp }) }),
        testDestination: createTest(sending),
      };
    },
  };
}
