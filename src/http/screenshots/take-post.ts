/** `POST /v1/screenshots/take`: the options of the take operation as a JSON object. */

import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Config } from "../../settings/config.ts";
import { createMembersReader, fromMembers } from "../input/validation.ts";
import { captureAnswers, captureFailures } from "../openapi/answers.ts";
import { operation } from "../openapi/operation.ts";
import { type AdmissionParts, createAdmission, refuseWrongKeys } from "./admission.ts";
import { acceptJson, bodyOf, inBody, membersOf } from "./json-input.ts";
import { type TakeInput, type TakeRouteParts, takeRoute } from "./take.ts";

/** The body schema consists of the options, which depend on the settings; the options parser validates the body. */
export const takeScreenshotByPost = operation({
  id: "takeScreenshotByPost",
  tag: "Screenshots",
  method: "POST",
  path: "/v1/screenshots/take",
  summary: "Take a screenshot, with the options as JSON",
  description:
    "Responds like `GET`, and shares its cache. Numbers, booleans and lists may be sent as JSON values or, as in a query, as strings; `null` is treated as absent. Unknown members are an error. Only `GET` requests can be signed.",
  access: "key",
  options: "body",
  answer: z.file(),
  responses: () => captureAnswers,
  failures: captureFailures(),
});

type Parts = Omit<TakeRouteParts, "admission" | "input"> & { config: Pick<Config, "MAX_REQUEST_BODY_MB"> };

/** Requires a dedicated Fastify instance. */
export function takePostRoute(app: FastifyInstance, parts: Parts, admission: AdmissionParts): void {
  refuseWrongKeys(app, admission);
  acceptJson(app, parts.config);
  const read = createMembersReader(parts.takeSchema, ["api_key"]);
  const input: TakeInput = {
    // Shared caches look up responses by URL, which doesn't contain the options.
    parse: async (_account, http) => ({ ...read(await membersOf(http)), isPrivate: true }),
    sent: (http) => fromMembers(bodyOf(http).members),
  };
  takeRoute(app, { ...parts, admission: createAdmission(admission, inBody), input }, takeScreenshotByPost);
}
