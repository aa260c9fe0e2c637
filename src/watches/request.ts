/** What a watch captures: kept encrypted, as the options may have cookies, and read again for each run. */

import { AppError } from "../errors.ts";
import type { TakeSchema } from "../screenshots/take-options.ts";
import { createTakeRequest } from "../screenshots/take-request.ts";
import type { OutputRequest } from "../screenshots/taken-outputs.ts";
import type { Seal } from "../seal.ts";

export interface WatchRequest {
  /** The options as they were sent, for later changes. */
  given: Record<string, unknown>;
  /** The same, read; without those that were not given: their defaults are those of each run. */
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
        throw new AppError("invalid_parameters", { message: "AUTH_SECRET was changed: delete the watch, and make it again." });
      return JSON.parse(text);
    },
  };
}

/** One load of the page with an image and the elements in it. @throws {AppError} `invalid_parameters` if its limits are lower since. */
export function outputsOf(schema: TakeSchema, { options }: Pick<WatchRequest, "options">): OutputRequest[] {
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
