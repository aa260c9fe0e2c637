/** Where the picture may come from and how it is handed over; answered by the HTTP side, no page work. */

import { z } from "zod";
import { optionGroup } from "../option-group.ts";

export const delivery = optionGroup({
  title: "Delivery",
  parameters: () => ({
    is_cached: z.boolean().default(false).meta({
      identity: false,
      description:
        "Answer with a stored capture of the same options when it is younger than `cache_ttl`; otherwise capture and store. A cached answer costs no quota.",
    }),
    cache_ttl: z
      .int()
      .min(60)
      .max(31_622_400)
      .default(3600)
      .meta({ identity: false, description: "Greatest age of a cached picture in seconds; also the `max-age` of the answer." }),
    cache_key: z.string().max(250).optional().meta({ description: "Any text; pictures with different ones are cached apart." }),
    response_type: z.enum(["image", "json", "empty"]).default("image").meta({
      identity: false,
      description: "`image` is the picture itself; `json` describes it and links to it; `empty` captures and stores without a body.",
    }),
  }),
});
