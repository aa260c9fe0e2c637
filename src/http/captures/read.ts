/** `GET` and `DELETE /v1/captures/:id`: read and cancel queued captures. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ownerOf } from "../../accounts/keys/caller.ts";
import type { CaptureRecord } from "../../screenshots/queue/records.ts";
import { AppError } from "../../shared/errors.ts";
import { queryOf } from "../input/query.ts";
import { createQueryReader } from "../input/read-input.ts";
import type { Admit } from "../screenshots/admission.ts";
import { followDisconnection } from "../server/requests.ts";
import { countWait, type QueuedParts } from "./queued.ts";
import { cancelCaptureOperation, captureParams, captureState, readCapture, stateOf } from "./state.ts";

export function queuedCapturesRoutes(app: FastifyInstance, parts: QueuedParts & { admit: Admit }): void {
  const { admit, captureJobs, captureRecords, untilEnded, closing } = parts;
  const readQuery = createQueryReader(readCapture.query);
  const readCancelQuery = createQueryReader(cancelCaptureOperation.query);
  const idOf = (http: FastifyRequest) => {
    const given = captureParams.safeParse(http.params);
    if (!given.success) throw new AppError("not_found");
    return given.data.id;
  };
  const answer = (http: FastifyRequest, reply: FastifyReply, record: CaptureRecord) => {
    reply.header("cache-control", "no-store");
    return captureState.parse(stateOf(parts, http, record));
  };

  app.get(readCapture.path, { exposeHeadRoute: false }, async (http, reply) => {
    const caller = await admit(http, reply);
    const { wait } = readQuery(queryOf(http).parameters);
    const id = idOf(http);
    const first = await captureRecords.find(ownerOf(caller), id);
    if (!first) throw new AppError("not_found");
    if (wait === 0 || first.endedAt) return answer(http, reply, first);
    countWait(caller.userId, reply);
    const disconnected = followDisconnection(reply);
    await untilEnded(id, AbortSignal.any([disconnected, closing, AbortSignal.timeout(wait * 1000)])).catch(() => {});
    disconnected.throwIfAborted();
    return answer(http, reply, (await captureRecords.find(ownerOf(caller), id)) ?? first);
  });

  app.delete(cancelCaptureOperation.path, async (http, reply) => {
    const caller = await admit(http, reply);
    readCancelQuery(queryOf(http).parameters);
    return answer(http, reply, await captureJobs.cancel(ownerOf(caller), idOf(http)));
  });
}
