/** The package's exports. */

// biome-ignore-all lint/performance/noBarrelFile: a package has a single entry point

export type * from "./api.generated.ts";
export type { Batches, BatchResult } from "./batches.ts";
export type { CallOptions, ClientSettings, CreateOptions } from "./calls.ts";
export type { CaptureOptions, Captures } from "./captures.ts";
export { createTintype, type Tintype } from "./client.ts";
export type { Destinations } from "./destinations.ts";
export { TintypeError } from "./errors.ts";
export type { Sessions } from "./sessions.ts";
export type { Signing } from "./signed-url.ts";
export type { Taken, TakeOptions } from "./take.ts";
export type { Watches } from "./watches.ts";
