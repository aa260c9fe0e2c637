/** The response of `POST /v1/captures`. */

import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { verdictKinds } from "../../capture/verdict/verdict.ts";
import { type FinishedCapture, type FinishedFile, type FinishedFiles, failureAgain } from "../../screenshots/captures/finished-capture.ts";
import type { AppError } from "../../shared/errors.ts";
import { contentTypes, formats } from "../../shared/formats.ts";
import { type Links, linkLifetimeSeconds } from "../../storage/link.ts";
import { comparisonAnswer, comparisonSchema } from "../comparisons/answer.ts";
import { copySchema } from "../destinations/schemas.ts";
import type { LinkBase } from "../input/link-base.ts";
import { errorBodyOf } from "../server/error-handler.ts";

const milliseconds = z.record(z.string(), z.int()).meta({ description: "Duration of each phase in milliseconds." });

export const failedOutput = z
  .looseObject({ error: z.string(), code: z.string(), message: z.string(), retryable: z.boolean(), requestId: z.string() })
  .meta({ description: "Why the output is missing, in the format of error responses." });

const link = {
  file: z.string().optional().meta({ description: "Name of the file in the zip." }),
  url: z.string().nullable().meta({ description: "Signed link to the file; null if it is not stored yet, or could not be stored." }),
  expires_at: z.iso.datetime().nullable().meta({ description: "Expiry time of the link." }),
};

const copy = copySchema.optional().meta({ description: "With `destination`: the copy in the destination's bucket." });

const slice = z.object({
  id: z.uuid().meta({ description: "Id of the stored file and its record." }),
  y: z.int().meta({ description: "Row of the whole image at which the slice starts." }),
  width: z.int(),
  height: z.int(),
  bytes: z.int(),
  etag: z.string(),
  ...link,
  copy,
});

const output = z
  .object({
    name: z.string(),
    id: z.uuid().optional().meta({ description: "Id of the stored file and its record." }),
    format: z.enum(formats).optional(),
    content_type: z.string().optional(),
    bytes: z.int().optional(),
    width: z.int().nullable().optional().meta({ description: "In pixels; null for a document." }),
    height: z.int().nullable().optional(),
    etag: z.string().optional(),
    file: link.file,
    url: link.url.optional(),
    expires_at: link.expires_at.optional(),
    copy,
    slices: z.array(slice).optional().meta({
      description:
        "With `slice_height`: the files, from top to bottom. The output itself then has no `id`, `etag`, `file` or link; its size is that of the whole image, its bytes the total of all slices.",
    }),
    cache: z.enum(["HIT", "MISS"]).optional().meta({ description: "`HIT`: stored earlier, with `is_cached`." }),
    loaded_again: z.boolean().optional().meta({ description: "Whether the page was loaded again for this output." }),
    verdict: z.object({ kind: z.enum(verdictKinds), confidence: z.number(), reasons: z.array(z.string()) }).optional(),
    warnings: z.array(z.string()).optional(),
    timings: milliseconds.optional(),
    comparison: comparisonSchema.optional().meta({ description: "With `compare_to`: the differences from that screenshot." }),
    error: failedOutput.optional(),
  })
  .meta({ schemaName: "CaptureOutput" });

/** JSON response of `createCaptures`. */
export const captureSchema = z
  .object({
    id: z.uuid().meta({ description: "Id of the capture, shared by the records of its outputs." }),
    source: z.enum(["url", "html", "markdown"]).meta({ description: "What the page was loaded from." }),
    target: z
      .object({ url: z.string(), status: z.int().nullable(), title: z.string() })
      .meta({ description: "The page, as loaded for the first output that did not fail." }),
    loads: z.int().meta({ description: "How many times the page was loaded; 0 if all outputs were cached." }),
    outputs: z.array(output),
    warnings: z.array(z.string()).meta({ description: "Warnings that all outputs share." }),
    timings: milliseconds,
  })
  .meta({ schemaName: "Capture" });

export type Description = z.input<typeof captureSchema>;

export function describeCapture(
  { links, linkBase }: { links: Links; linkBase: LinkBase },
  { id, http, capture }: { id: string; http: FastifyRequest; capture: FinishedCapture },
): Description {
  const base = linkBase(http);
  const expiresAt = new Date((Math.floor(Date.now() / 1000) + linkLifetimeSeconds) * 1000).toISOString();
  const entries = capture.outputs.map((one): z.input<typeof output> => {
    if ("failure" in one) return failedEntry(one.name, failureAgain(one.failure), http.id);
    const listed = one.files.map(({ isStored, ...file }) => {
      const url = isStored ? `${base}${links.sign(file.id, one.format, linkLifetimeSeconds)}` : null;
      return { ...file, url, expires_at: isStored ? expiresAt : null };
    });
    const missing = listed.filter(({ url }) => url === null).length;
    const notStored = missing > 0 ? [notStoredWarning(missing, listed.length)] : [];
    return {
      name: one.name,
      format: one.format,
      content_type: contentTypes[one.format],
      ...linksOf(one, listed),
      cache: one.fromCache ? "HIT" : "MISS",
      loaded_again: one.loadedAgain,
      verdict: one.verdict,
      warnings: [...one.warnings, ...notStored],
      timings: one.timings,
      ...(one.comparison ? { comparison: comparisonAnswer(one.comparison, links, base) } : {}),
    };
  });
  const shown = capture.outputs.find((one) => "files" in one);
  const all = entries.flatMap(({ warnings }) => (warnings ? [warnings] : []));
  return {
    id,
    source: capture.source,
    target: { url: shown?.finalUrl ?? "", status: shown?.targetStatus ?? null, title: shown?.title ?? "" },
    loads: capture.loads,
    outputs: entries,
    warnings: all[0]?.filter((warning) => all.every((some) => some.includes(warning))) ?? [],
    timings: { total: capture.totalMs },
  };
}

export function failedEntry(name: string, failure: AppError, requestId: string): Description["outputs"][number] {
  return {
    name,
    ...(failure.screenshotId ? { id: failure.screenshotId } : {}),
    error: errorBodyOf(failure, requestId) as z.input<typeof failedOutput>,
  };
}

type Listed = Omit<z.input<typeof slice>, "y" | "width" | "height"> & Pick<FinishedFile, "y" | "width" | "height">;

/** The members that describe a single file, or all slices, with their links. */
function linksOf({ width, height }: FinishedFiles, listed: Listed[]): Partial<z.input<typeof output>> {
  const [{ y, ...only } = {}] = listed;
  if (y === undefined) return only;
  const bytes = listed.reduce((sum, file) => sum + file.bytes, 0);
  return { bytes, width, height, slices: listed as z.input<typeof slice>[] };
}

function notStoredWarning(missing: number, of: number): string {
  if (of === 1) return "the file could not be stored, so there is no link to it";
  return `${missing} of ${of} slices could not be stored, so ${missing === 1 ? "there is no link to it" : "there are no links to them"}`;
}
