/** `POST /v1/compare`: compares two stored screenshots. */

import { z } from "zod";
import { comparisonPermits } from "../../comparison/compare.ts";
import { comparedBy } from "../../comparison/comparison.ts";
import type { Database } from "../../database/database.ts";
import { assertComparable, readStoredShot } from "../../screenshots/compare/stored-shots.ts";
import type { Links } from "../../storage/link.ts";
import type { ImageStore } from "../../storage/store.ts";
import { admissionFailures } from "../captures/state.ts";
import type { KeyRoute } from "../input/key-routes.ts";
import type { LinkBase } from "../input/link-base.ts";
import { drawingContent, stateAnswer } from "../openapi/answers.ts";
import { operation } from "../openapi/operation.ts";
import { setContent } from "../screenshots/answer.ts";
import { followDisconnection } from "../server/requests.ts";
import { boxSchema, storedSelector } from "../watches/schemas.ts";
import { comparisonAnswer, comparisonSchema } from "./answer.ts";

const share = z.number().min(0).max(1);

export const compareScreenshots = operation({
  id: "compareScreenshots",
  tag: "Screenshots",
  method: "POST",
  path: "/v1/compare",
  summary: "Compare two stored screenshots",
  description:
    "Doesn't count toward the quota, since no page is loaded. Naming regions, comparing text and ignoring selectors require that both captures also have a `format=elements` output, captured at the same size as the image.",
  access: "key",
  body: z.strictObject({
    before: z.uuid().meta({ description: "Id of the earlier screenshot." }),
    after: z.uuid().meta({ description: "Id of the later screenshot." }),
    compare: z.enum(comparedBy).default("both").meta({ description: "What counts as a change." }),
    threshold: share.default(0).meta({ description: "Share of pixels that must differ. With 0, any visible region is a change." }),
    ignore_selectors: z.array(storedSelector).max(100).default([]).meta({ description: "Elements to ignore, including their content." }),
    ignore_boxes: z.array(boxSchema).max(100).default([]).meta({ description: "Parts of the `after` image to ignore, in pixels." }),
    response_type: z.enum(["json", "image"]).default("json").meta({ description: "`image`: a PNG with the regions marked." }),
  }),
  answer: comparisonSchema,
  responses: (content) => ({ 200: stateAnswer("Compare two stored screenshots.", { ...content(comparisonSchema), ...drawingContent }) }),
  failures: [...admissionFailures, "not_found", "page_too_heavy", "queue_full"],
});

export interface CompareParts {
  database: Database;
  store: ImageStore;
  links: Links;
  linkBase: LinkBase;
}

export function compareRoute(keyRoute: KeyRoute, parts: CompareParts): void {
  keyRoute(compareScreenshots, async ({ caller, body, request, reply }) => {
    const signal = followDisconnection(reply);
    const [earlier, later] = [
      { member: "before", id: body.before },
      { member: "after", id: body.after },
    ];
    await assertComparable(parts.database, caller, [earlier, later]);
    const compareNow = async () => {
      const before = await readStoredShot(parts, caller, earlier);
      const after = await readStoredShot(parts, caller, later);
      const { compare } = await import("../../comparison/compare.ts");
      const ignore = { boxes: body.ignore_boxes, selectors: body.ignore_selectors };
      const comparison = await compare(before, after, { by: body.compare, threshold: body.threshold, ignore }, signal);
      if (body.response_type === "json") return comparisonAnswer({ ...comparison, before, after }, parts.links, parts.linkBase(request));
      const { drawDifference } = await import("../../comparison/draw-difference.ts");
      const image = await drawDifference(after.image, comparison);
      setContent(reply, "png", image.length);
      return image;
    };
    return await comparisonPermits.run(caller.userId, compareNow, { signal });
  });
}
