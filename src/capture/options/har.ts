/** Contents of the HTTP archive. */

import { z } from "zod";
import { optionGroup } from "../option-group.ts";

export const har = optionGroup({
  title: "HTTP archive and console",
  onlyIfSet: true,
  intro:
    "`format=har` is a record of the page's requests, including those of its frames and workers: their URLs, headers, statuses, sizes and times, and which of them failed or were blocked by an option. It can be opened in browsers' developer tools and in HAR viewers.",
  example: { format: "har", har_bodies: "text" },
  notes: [
    "- Several outputs of one request share a load, so an image and its archive show the same visit. The archive is written last.",
    "- Unless `har_secrets` is set, cookies are not listed, and two kinds of values are replaced with `removed`: those of headers set with `headers`, and those whose names suggest keys, tokens or passwords, in headers, URL parameters, and JSON within either. Credentials under other names, or in paths, are not removed. Request bodies are always left out.",
    "- `har_secrets` keeps cookies, headers and credentials, and lists headers as they were sent and received; request bodies, and the values of headers whose names begin with `Proxy-Auth`, are left out even then. Anyone with the file can impersonate the page's visitor, so use `har_secrets` only for debugging, with your own credentials. It is refused in signed links, for keys that are restricted to domains, and with `session`, whose cookies are never shown. Proxy passwords never appear in an archive. The response must not be cached (`Cache-Control: no-store`); the stored file, and any copy in a `destination`, contains the secrets for as long as it is kept.",
    "- URLs and values over 8,000 characters are cut off. At most 5,000 requests are recorded, and an archive has at most 20 MB; a warning says if something was left out. WebSockets and service worker scripts are not recorded.",
    "- All connections pass through the service's own proxy, so `serverIPAddress` is missing. Fields that begin with `_` are additions: `_resourceType`, `_initiator`, `_fromCache`, `_fromServiceWorker`, `_blockedBy` and `_error`.",
    "- `format=console` contains one JSON object per line, each describing one message, oldest first. Its members are `time`; `level`, which is `error`, `warning`, `info`, `log` or `debug`; `text`, formatted as in developer tools; `url`, `line` and `column` of the call (counted from 1), or null; and, for errors, `stack`. The log includes Chromium's own messages, such as those about failed requests, and is empty if there are no messages. It has at most 5,000 messages and 20 MB; a warning says if some were left out. The file extension is `.jsonl`. Credentials are removed as in archives.",
  ].join("\n"),
  parameters: () => ({
    har_bodies: z.enum(["none", "text"]).default("none").meta({
      output: "image",
      description:
        "With `text`, the archive also contains the bodies of text responses, such as HTML, scripts and JSON, up to 1 MB each and 10 MB in total. They may contain the visitor's personal data.",
    }),
    har_secrets: z.boolean().default(false).meta({
      output: "image",
      description:
        "Keep credentials in the archive: cookies, the `Authorization` header, and headers and parameters whose names suggest keys, tokens or passwords. Can't be combined with `session`. Not available in signed links or to keys that are restricted to domains.",
    }),
  }),
  conflicts: ({ har_secrets, ...others }) => {
    const { session } = others as { session?: unknown };
    if (!har_secrets || session === undefined) return [];
    return [{ parameter: "har_secrets", message: "can't be combined with session, whose cookies and storage are never shown" }];
  },
  show: async ({ har_bodies, har_secrets, ...others }, { warn }) => {
    const { format } = others as { format?: unknown };
    if (format === "har") return;
    if (har_bodies !== "none") warn("har_bodies has no effect without format=har");
    if (har_secrets) warn("har_secrets has no effect without format=har");
  },
});
