/** Contents of the HTTP archive. */

import { z } from "zod";
import { optionGroup } from "../option-group.ts";

export const har = optionGroup({
  title: "HTTP archive",
  onlyIfSet: true,
  intro:
    "`format=har` is a record of the page's requests, including those of its frames and workers: URLs, headers, status, sizes and times, what was blocked by an option, and what failed. Browsers' developer tools and HAR viewers open it.",
  example: { format: "har", har_bodies: "text" },
  notes: [
    "- Several outputs of one request share a load, so an image and its archive show the same visit. The archive is written last.",
    "- Credentials are replaced by `removed`: cookies, authorization, the values of all headers that the request sets with `headers`, and headers and URL parameters whose names say that they are keys, tokens, passwords or the like. Bodies that the page sends are left out.",
    "- All connections pass through the service's own proxy, so `serverIPAddress` is missing. Fields that begin with `_` are additions: `_resourceType`, `_initiator`, `_fromCache`, `_blockedBy` and `_error`.",
    "- At most 5,000 requests are recorded. A warning says if there were more.",
  ].join("\n"),
  parameters: () => ({
    har_bodies: z.enum(["none", "text"]).default("none").meta({
      output: "image",
      description:
        "`text`: the archive also contains the bodies of responses that are text, such as HTML, scripts and JSON, up to 1 MB each and 10 MB in total. They may contain personal data of the page's visitor.",
    }),
  }),
  show: async ({ har_bodies, ...others }, { warn }) => {
    const { format } = others as { format?: unknown };
    if (har_bodies !== "none" && format !== "har") warn("har_bodies has no effect without format=har");
  },
});
