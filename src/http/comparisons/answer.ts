/** Public representation of a comparison. */

import { z } from "zod";
import type { ComparedShots, ComparedSide } from "../../screenshots/captures/taken-outputs.ts";
import { type Links, linkLifetimeSeconds } from "../../storage/link.ts";
import { regionAnswer } from "../../watches/end-run.ts";
import { regionSchema } from "../watches/schemas.ts";

const side = z.object({
  id: z.uuid(),
  width: z.int(),
  height: z.int(),
  link: z.string().meta({ description: "Signed link to the image, valid for a day." }),
});

export const comparisonSchema = z
  .object({
    changed: z.boolean(),
    changed_share: z.number().min(0).max(1).meta({ description: "Share of pixels that differ, after moved content has been aligned." }),
    before: side,
    after: side,
    regions: z
      .array(regionSchema)
      .meta({ description: "At most 100. Changed, added and removed regions come before moved ones; each group is sorted by area." }),
  })
  .meta({ schemaName: "Comparison" });

/** @param base URL prefix of the links. */
export function comparisonAnswer(
  { isChanged, changedShare, regions, before, after }: ComparedShots,
  links: Links,
  base: string,
): z.input<typeof comparisonSchema> {
  const sideOf = ({ id, format, width, height }: ComparedSide) => ({
    id,
    width,
    height,
    link: base + links.sign(id, format, linkLifetimeSeconds),
  });
  return {
    changed: isChanged,
    changed_share: changedShare,
    before: sideOf(before),
    after: sideOf(after),
    regions: regions.map(regionAnswer),
  };
}
