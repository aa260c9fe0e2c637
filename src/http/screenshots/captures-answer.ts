/** The answer of `POST /v1/captures`, and its declaration. */

import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { verdictKinds } from "../../capture/verdict/verdict.ts";
import type { AppError } from "../../errors.ts";
import { contentTypes, formats } from "../../formats.ts";
import { type Links, linkLifetimeSeconds } from "../../images/link.ts";
import type { CacheEntry } from "../../screenshots/cache-entry.ts";
import { filesOf } from "../../screenshots/output-files.ts";
import type { OutputRequest, TakenOutput } from "../../screenshots/take-outputs.ts";
import { asFailure, bodyOf } from "../errors.ts";
import type { LinkBase } from "../link-base.ts";
import { operation } from "../operation.ts";
import type { CapturesRequest } from "./captures-input.ts";

const milliseconds = z.record(z.string(), z.int()).meta({ description: "Milliseconds of each phase." });

const failed = z
  .looseObject({ error: z.string(), code: z.string(), message: z.string(), retryable: z.boolean(), requestId: z.string() })
  .meta({ description: "Why there is no such output, as in any error." });

const link = {
  file: z.string().optional().meta({ description: "Name of the file in the zip." }),
  url: z.string().nullable().meta({ description: "Signed link to the file; null if it could not be stored." }),
  expires_at: z.iso.datetime().nullable().meta({ description: "End of the link." }),
};

const slice = z.object({
  id: z.uuid().meta({ description: "Id of the stored file and its record." }),
  y: z.int().meta({ description: "Row of the whole image at which the slice begins." }),
  width: z.int(),
  height: z.int(),
  bytes: z.int(),
  etag: z.string(),
  ...link,
});

const output = z
  .object({
    name: z.string(),
    id: z.uuid().optional().meta({ description: "Id of the stored file and its record." }),
    format: z.enum(formats).optional(),
    content_type: z.string().optional(),
    bytes: z.int().optional(),
    width: z.int().nullable().optional().meta({ description: "Pixels of an image; null for a document." }),
    height: z.int().nullable().optional(),
    etag: z.string().optional(),
    file: link.file,
    url: link.url.optional(),
    expires_at: link.expires_at.optional(),
    slices: z.array(slice).optional().meta({
      description:
        "With `slice_height`: the files, from top to bottom. The output itself then has no `id`, `etag`, `file` and link; its size and bytes are those of all slices together.",
    }),
    cache: z.enum(["HIT", "MISS"]).optional().meta({ description: "`HIT`: it was there already, with `is_cached`." }),
    loaded_again: z.boolean().optional().meta({ description: "Whether it is of another load of the page than the first." }),
    verdict: z.object({ kind: z.enum(verdictKinds), confidence: z.number(), reasons: z.array(z.string()) }).optional(),
    warnings: z.array(z.string()).optional(),
    timings: milliseconds.optional(),
    error: failed.optional(),
  })
  .meta({ schemaName: "CaptureOutput" });

/** Its body is made of the options' schema, which depends on the settings; `captures-input.ts` validates it. */
export const createCaptures = operation({
  id: "createCaptures",
  tag: "Screenshots",
  method: "POST",
  path: "/v1/captures",
  summary: "Capture several outputs of one page",
  description:
    "The page is loaded once, unless outputs differ in what the server or the start of the page can see, such as the user agent, cookies or the locale. An output's options override those beside `outputs`. It counts as one screenshot and one request. If some outputs fail, their entries have `error`; if all fail, the first error is the answer.",
  access: "public",
  answer: z
    .object({
      id: z.uuid().meta({ description: "Id of the capture; the records of its outputs have it." }),
      source: z.enum(["url", "html", "markdown"]).meta({ description: "What the page was made of." }),
      target: z
        .object({ url: z.string(), status: z.int().nullable(), title: z.string() })
        .meta({ description: "The page of the first output." }),
      loads: z.int().meta({ description: "How often the page was loaded; 0 if all outputs were cached." }),
      outputs: z.array(output),
      warnings: z.array(z.string()).meta({ description: "Those that all outputs have." }),
      timings: milliseconds,
    })
    .meta({ schemaName: "Capture" }),
});

export type Description = z.input<typeof createCaptures.answer>;

interface Answer {
  id: string;
  http: FastifyRequest;
  /** By `performance.now()`. */
  started: number;
  request: CapturesRequest;
  outputs: TakenOutput[];
  loads: number;
  /** Of each output, which of its files are. */
  stored: boolean[][];
}

/** @param parts for the links. */
export function describe({ links, linkBase }: { links: Links; linkBase: LinkBase }, answer: Answer): Description {
  const { id, http, started, request, outputs, loads } = answer;
  const base = linkBase(http);
  const expiresAt = new Date((Math.floor(Date.now() / 1000) + linkLifetimeSeconds) * 1000).toISOString();
  const entries = outputs.map((one, position): z.input<typeof output> => {
    const name = request.outputs[position]?.name ?? "";
    const stored = answer.stored[position] ?? [];
    if ("failure" in one) return failedEntry(name, asFailure(one.failure as Error), http.id);
    const entry = entryOf(one);
    const listed = filesOf(one).map(({ id, y, width, height, bytes, etag }, index) => {
      const url = stored[index] ? `${base}${links.sign(id, entry.format, linkLifetimeSeconds)}` : null;
      return { id, y, width, height, bytes, etag, url, expires_at: url === null ? null : expiresAt };
    });
    const missing = listed.filter(({ url }) => url === null).length;
    const notStored = missing > 0 ? [notStoredWarning(missing, listed.length)] : [];
    return {
      name,
      format: entry.format,
      content_type: contentTypes[entry.format],
      ...linksOf(one, listed),
      cache: "cached" in one ? "HIT" : "MISS",
      loaded_again: "screenshot" in one && one.loadedAgain,
      verdict: entry.verdict,
      warnings: [...entry.warnings, ...notStored],
      timings: roundedTimings("screenshot" in one ? (one.screenshot.timings ?? {}) : {}),
    };
  });
  const shown = entryOf(outputs.find((one) => !("failure" in one)) as TakenOutput);
  const all = entries.flatMap(({ warnings }) => (warnings ? [warnings] : []));
  const { options } = (request.outputs[0] as OutputRequest).request;
  return {
    id,
    source: options.html !== undefined ? "html" : options.markdown !== undefined ? "markdown" : "url",
    target: { url: shown.finalUrl, status: shown.targetStatus, title: shown.title },
    loads,
    outputs: entries,
    warnings: all[0]?.filter((warning) => all.every((some) => some.includes(warning))) ?? [],
    timings: roundedTimings({ total: performance.now() - started }),
  };
}

export function failedEntry(name: string, failure: AppError, requestId: string): Description["outputs"][number] {
  return { name, error: bodyOf(failure, requestId) as z.input<typeof failed> };
}

type Listed = Omit<z.input<typeof slice>, "y" | "width" | "height"> & {
  y: number | undefined;
  width: number | null;
  height: number | null;
};

/** The only file's link, or those of all slices. */
function linksOf(one: TakenOutput, listed: Listed[]): Partial<z.input<typeof output>> {
  const [{ y, ...only } = {}] = listed;
  if (y === undefined) return only;
  const { width, height } = "slices" in one && one.whole ? one.whole : entryOf(one);
  const bytes = listed.reduce((sum, file) => sum + file.bytes, 0);
  return { bytes, width, height, slices: listed as z.input<typeof slice>[] };
}

function notStoredWarning(missing: number, of: number): string {
  if (of === 1) return "the file could not be stored, so there is no link to it";
  return `${missing} of ${of} slices could not be stored, so there are no links to them`;
}

/** What is known of an output that has not failed. */
export function entryOf(one: TakenOutput): Omit<CacheEntry, "objectKey"> {
  if ("failure" in one) throw one.failure;
  return "cached" in one ? one.cached : one.screenshot;
}

function roundedTimings(timings: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(timings).map(([phase, ms]) => [phase, Math.round(ms)]));
}
