/** Buckets to which screenshots are copied, saved by name. */

import type { Destination, DestinationRequest, DestinationTest } from "./api.generated.ts";
import { type CallOptions, type Calls, pathOf } from "./calls.ts";

export interface Destinations {
  /** Replaces any destination with the same name. */
  save(request: DestinationRequest, options?: CallOptions): Promise<Destination>;
  /** Newest first. */
  list(options?: CallOptions): Promise<Destination[]>;
  get(name: string, options?: CallOptions): Promise<Destination>;
  /** Writes an object and deletes it. */
  test(name: string, options?: CallOptions): Promise<DestinationTest>;
  remove(name: string, options?: CallOptions): Promise<void>;
}

export function createDestinations({ json }: Calls): Destinations {
  const path = "/v1/destinations";
  return {
    save: (body, options) => json({ method: "POST", path, body, repeat: "always" }, options),
    list: async (options) =>
      (await json<{ destinations: Destination[] }>({ method: "GET", path, repeat: "always" }, options, isList)).destinations,
    get: (name, options) => json({ method: "GET", path: pathOf("destinations", name), repeat: "always" }, options),
    test: (name, options) => json({ method: "POST", path: `${pathOf("destinations", name)}/test`, repeat: "refused" }, options, isTest),
    remove: (name, options) => json({ method: "DELETE", path: pathOf("destinations", name), repeat: "always" }, options),
  };
}

const isList = (read: { destinations?: unknown }) => Array.isArray(read.destinations);
const isTest = (read: { works?: unknown }) => typeof read.works === "boolean";
