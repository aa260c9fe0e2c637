/** Capture requests of watches, stored encrypted because options may contain cookies, and parsed again for each run. */

import type { OutputRequest } from "../screenshots/captures/taken-outputs.ts";
import { createTakeRequest, type TakeSchema } from "../screenshots/take/take-options.ts";
import { AppError } from "../shared/errors.ts";
import type { Seal } from "../shared/seal.ts";

export interface WatchRequest {
  /** The options as submitted, for later changes. */
  given: Record<string, unknown>;
  /** The parsed options that were given; defaults are applied at each run. */
  options: Record<string, unknown>;
}

export const imageOutput = "image";
export const elementsOutput = "elements";

export interface WatchRequests {
  close(request: WatchRequest, watchId: string): Buffer;
  /** @throws {AppError} `invalid_parameters`. */
  open(sealed: Buffer, watchId: string): WatchRequest;
}

export function createWatchRequests(seal: Seal): WatchRequests {
  return {
    close: (request, watchId) => seal.close(JSON.stringify(request), watchId),
    open(sealed, watchId) {
      const text = seal.open(sealed, watchId);
      if (text === undefined)
        throw new AppError("invalid_parameters", { message: "AUTH_SECRET was changed: delete the watch and create it again." });
      return JSON.parse(text);
    },
  };
}

/** One page load with the image and its elements. @throws {AppError} `invalid_parameters` if limits were lowered in the meantime. */
export function watchOutputs(schema: TakeSchema, { options }: Pick<WatchRequest, "options">): OutputRequest[] {
  return [
    { name: imageOutput, format: "png" },
    { name: elementsOutput, format: "elements" },
  ].map(({ name, format }) => {
    const { success, data, error } = schema.safeParse({ full_page: true, ...options, format, clock: "frozen" });
    if (!success) {
      const [parameter] = error.issues.flatMap(({ path }) => path);
      throw new AppError("invalid_parameters", { message: `${String(parameter)} is no longer valid: change the watch.` });
    }
    return { name, request: createTakeRequest(schema, data, []) };
  });
}
