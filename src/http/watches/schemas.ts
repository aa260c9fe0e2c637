/** Public schemas of watches and runs, in responses and requests. */

import { z } from "zod";
import { comparedBy, type Region } from "../../comparison/comparison.ts";
import { isSupported } from "../../comparison/elements/selector-match.ts";
import { runStatuses } from "../../watches/run-records.ts";
import { watchStates } from "../../watches/watch-records.ts";

const nullableText = z.string().nullable();
const share = z.number().min(0).max(1);

const side = z.number().min(0).max(1_000_000);
export const boxSchema = z.strictObject({ x: side, y: side, width: side, height: side });
const pixels = boxSchema.meta({ description: "In pixels of the image." });

export const regionSchema = z
  .object({
    kind: z.enum(["changed", "added", "removed", "moved"] satisfies Region["kind"][]),
    name: z.string().meta({ description: "Human-readable name, such as `Price: 19 € → 21 €`." }),
    selector: nullableText.meta({
      description: "CSS selector of the element; null if unknown, or if it has more than 2,000 characters, or 200 after many long ones.",
    }),
    before: pixels.nullable(),
    after: pixels.nullable(),
    text_before: nullableText.meta({ description: "At most 1,000 characters, or 100 after many long texts; null if no text changed." }),
    text_after: nullableText.meta({ description: "At most 1,000 characters, or 100 after many long texts; null if no text changed." }),
  })
  .meta({ schemaName: "ChangedRegion" });

const image = z.object({
  id: z.uuid(),
  link: z.string().meta({ description: "Signed link to the image, valid for a day." }),
  width: z.int(),
  height: z.int(),
});

export const runSchema = z
  .object({
    id: z.uuid(),
    status: z.enum(runStatuses).meta({ description: "`learning`: one of the first runs, which don't report changes." }),
    created_at: z.date(),
    ended_at: z.date().nullable(),
    capture_id: z
      .uuid()
      .nullable()
      .meta({ description: "Null if the capture could not be queued, for example because the quota was exhausted." }),
    screenshot: image.nullable().meta({ description: "The image; null if there is none or it has been deleted." }),
    compared_with_run_id: z.uuid().nullable(),
    changed_share: share.nullable().meta({ description: "Share of pixels that differ, 0 to 1." }),
    regions: z
      .array(regionSchema)
      .meta({ description: "Regions that differ: the first three in lists and in `latest_run`, otherwise at most 100." }),
    regions_total: z.int(),
    difference_link: nullableText.meta({ description: "Signed link to the image with the regions marked." }),
    reported: z
      .boolean()
      .meta({ description: "Whether the run was reported: it found a change not seen before, or was the first to fail." }),
    accepted: z.boolean().meta({ description: "Whether later runs are, or were, compared with this one." }),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
  })
  .meta({ schemaName: "WatchRun" });

const muted = z
  .object({
    id: z.uuid(),
    kind: z.enum(["selector", "box"]),
    selector: nullableText,
    box: pixels.nullable(),
    by: z.enum(["user", "learned"]),
    name: z.string(),
    created_at: z.date(),
  })
  .meta({ schemaName: "Muted" });

export const watchSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    url: z.string(),
    state: z.enum(watchStates),
    every: nullableText,
    cron: nullableText,
    time_zone: z.string(),
    compare: z.enum(comparedBy),
    threshold: share,
    ignore_selectors: z.array(z.string()),
    webhook_url: nullableText,
    options: z.record(z.string(), z.unknown()).meta({ description: "Capture options; secret values are replaced by `given`." }),
    phase: z
      .enum(["learning", "watching"])
      .meta({ description: "`learning`: the first three runs learn which parts of the page differ on every load." }),
    status: z.enum(["new", "unchanged", "changed", "failed"]).meta({ description: "Result of the latest run that has ended." }),
    accepted_run_id: z.uuid().nullable().meta({ description: "Run that later runs are compared with." }),
    latest_run: runSchema.nullable(),
    last_screenshot: image.nullable().meta({ description: "The image of the latest run that has one." }),
    recent: z
      .array(z.object({ id: z.uuid(), status: z.enum(runStatuses), at: z.date() }))
      .meta({ description: "The last 30 runs, newest first." }),
    muted: z.array(muted).meta({ description: "Parts of the page that are not compared, muted by the owner or learned." }),
    feed_url: z.string().meta({ description: "Signed URL of the Atom feed." }),
    next_run_at: z.date().nullable().meta({ description: "Null if the watch is paused." }),
    created_at: z.date(),
  })
  .meta({ schemaName: "Watch" });

/** A selector simple enough to be matched against a screenshot's stored elements. */
export const storedSelector = z.string().trim().min(1).max(1024, { abort: true }).refine(isSupported, {
  message: "must consist of tags, #ids, .classes, :nth-child(n), > and spaces, like the selectors that format=elements returns",
});

const own = {
  name: z.string().trim().min(1).max(200).nullish().meta({ description: "Derived from `url` by default." }),
  every: z.string().max(20).nullish().meta({ description: "Interval, such as `30m`, `12h` or `1d`, up to `30d`. Default: `1d`." }),
  cron: z.string().max(200).nullish().meta({ description: "Cron expression with five fields, such as `0 9 * * 1-5`, instead of `every`." }),
  time_zone: z
    .string()
    .max(100)
    .nullish()
    .meta({ description: "Time zone for `cron` and the page. Default: UTC; for the page, the time zone of `country` if it is set." }),
  compare: z.enum(comparedBy).nullish().meta({ description: "What counts as a change. Default: `both`." }),
  threshold: share.nullish().meta({ description: "Share of pixels that must differ, 0 to 1. Default: 0, any visible change." }),
  ignore_selectors: z.array(storedSelector).max(50).nullish().meta({ description: "CSS selectors of elements to ignore." }),
  webhook_url: z.string().max(4096).nullish().meta({ description: "Receives `watch.changed` and `watch.failed`." }),
};

/** Names of a watch's own members. Only `time_zone` is also a capture option. */
export const ownMembers = Object.keys(own);

/** Members that are not declared here are capture options. */
export const created = z.looseObject({ url: z.string().max(8192).meta({ description: "Page to watch." }), ...own });
export const changes = z.looseObject(own);
export type WatchBody = z.output<typeof changes>;

export const accepted = z.strictObject({
  run_id: z.uuid().nullish().meta({ description: "Default: the latest run with an image." }),
});
export const muting = z.strictObject({
  selector: storedSelector.nullish().meta({ description: "CSS selector." }),
  box: boxSchema.nullish().meta({ description: "Rectangle in the image, instead of a selector." }),
});
