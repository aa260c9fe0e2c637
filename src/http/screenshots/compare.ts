/** `POST /v1/compare`: what differs between two stored screenshots. */

import { z } from "zod";
import { type Comparison, comparedBy } from "../../comparison/comparison.ts";
import type { Database } from "../../database.ts";
import { AppError } from "../../errors.ts";
import { type Links, linkLifetimeSeconds } from "../../images/link.ts";
import type { ImageStore } from "../../images/store.ts";
import { regionAnswer } from "../../watches/end-run.ts";
import type { KeyRoute } from "../key-routes.ts";
import type { LinkBase } from "../link-base.ts";
import { operation } from "../operation.ts";
import { box, region, storedSelector } from "../watches/schemas.ts";
import { setContent } from "./answer.ts";
import { admissionFailures } from "./captures-state.ts";
import { readStoredShot, type StoredShot } from "./stored-shots.ts";

const share = z.number().min(0).max(1);

const side = z.object({
  id: z.uuid(),
  width: z.int(),
  height: z.int(),
  link: z.string().meta({ description: "Signed link to the image, valid for a day." }),
});

export const compareScreenshots = operation({
  id: "compareScreenshots",
  tag: "Screenshots",
  method: "POST",
  path: "/v1/compare",
  summary: "Compare two stored screenshots",
  description:
    "Costs no quota, as no page is loaded. Regions are named, texts compared and selectors ignored if both captures also have an output with `format=elements` of the same size.",
  access: "public",
  body: z.strictObject({
    before: z.uuid().meta({ description: "Id of the earlier screenshot." }),
    after: z.uuid().meta({ description: "Id of the later screenshot." }),
    compare: z.enum(comparedBy).default("both").meta({ description: "What counts as a change." }),
    threshold: share.default(0).meta({ description: "Share of pixels that must differ; 0: any visible region is a change." }),
    ignore_selectors: z
      .array(storedSelector)
      .max(100)
      .default([])
      .meta({ description: "Elements that don't count, with what is in them." }),
    ignore_boxes: z.array(box).max(100).default([]).meta({ description: "Parts of the image after that don't count, in pixels." }),
    response_type: z.enum(["json", "image"]).default("json").meta({ description: "`image`: a PNG with the regions marked." }),
  }),
  answer: z
    .object({
      changed: z.boolean(),
      changed_share: share.meta({ description: "Share of the pixels that differ, once what moved is aligned." }),
      before: side,
      after: side,
      regions: z.array(region).meta({ description: "At most 100: what changed, was added or removed before what moved, then by area." }),
    })
    .meta({ schemaName: "Comparison" }),
  failures: [...admissionFailures, "not_found", "queue_full"],
});

export interface CompareParts {
  database: Database;
  store: ImageStore;
  links: Links;
  linkBase: LinkBase;
}

/** Comparisons run one after the other, each with its images in memory. */
const waitingMax = 8;

export function compareRoute(keyRoute: KeyRoute, parts: CompareParts): void {
  let waiting = 0;
  keyRoute(compareScreenshots, async ({ caller, body, request, reply }) => {
    if (waiting >= waitingMax)
      throw new AppError("queue_full", { message: "Too many comparisons are waiting; try again later.", retryAfterSeconds: 2 });
    waiting += 1;
    try {
      const before = await readStoredShot(parts, caller.userId, { member: "before", id: body.before });
      const after = await readStoredShot(parts, caller.userId, { member: "after", id: body.after });
      const { compare } = await import("../../comparison/compare.ts");
      const ignore = { boxes: body.ignore_boxes, selectors: body.ignore_selectors };
      const comparison = await compare(before, after, { by: body.compare, threshold: body.threshold, ignore });
      if (body.response_type === "json") return answerOf(comparison, (one) => sideOf(one, parts, parts.linkBase(request)), before, after);
      const { drawDifference } = await import("../../comparison/draw-difference.ts");
      const image = await drawDifference(after.image, comparison);
      setContent(reply, "png", image.length);
      return image;
    } finally {
      waiting -= 1;
    }
  });
}

function answerOf<Side>(
  { isChanged, changedShare, regions }: Comparison,
  side: (shot: StoredShot) => Side,
  before: StoredShot,
  after: StoredShot,
) {
  return { changed: isChanged, changed_share: changedShare, before: side(before), after: side(after), regions: regions.map(regionAnswer) };
}

function sideOf({ id, format, width, height }: StoredShot, { links }: CompareParts, base: string) {
  return { id, width, height, link: base + links.sign(id, format, linkLifetimeSeconds) };
}
