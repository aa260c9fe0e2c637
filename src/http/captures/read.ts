/** `GET` and `DELETE /v1/captures/:id`: read and cancel queued captures. */

import { ownerOf } from "../../accounts/keys/caller.ts";
import { existing } from "../../shared/errors.ts";
import type { KeyRoute } from "../input/key-routes.ts";
import { followDisconnection } from "../server/requests.ts";
import { countWait, type QueuedParts } from "./queued.ts";
import { cancelCaptureOperation, readCapture, stateOf } from "./state.ts";

export function queuedCapturesRoutes(keyRoute: KeyRoute, parts: QueuedParts): void {
  const { captureJobs, captureRecords, untilEnded, closing } = parts;

  keyRoute(readCapture, async ({ caller, params: { id }, query: { wait }, request, reply }) => {
    const first = existing(await captureRecords.find(ownerOf(caller), id));
    if (wait === 0 || first.endedAt) return stateOf(parts, request, first);
    countWait(caller.userId, reply);
    const disconnected = followDisconnection(reply);
    await untilEnded(id, AbortSignal.any([disconnected, closing, AbortSignal.timeout(wait * 1000)])).catch(() => {});
    disconnected.throwIfAborted();
    return stateOf(parts, request, (await captureRecords.find(ownerOf(caller), id)) ?? first);
  });

  keyRoute(cancelCaptureOperation, async ({ caller, params: { id }, request }) =>
    stateOf(parts, request, await captureJobs.cancel(ownerOf(caller), id)),
  );
}
