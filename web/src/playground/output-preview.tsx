/** One of several outputs: its file, or why there is none. */

import { Link } from "@tanstack/react-router";
import { send } from "../api/client.ts";
import type { CaptureOutput } from "../api/types.ts";
import { DocumentView } from "../screenshots/document-view.tsx";
import { isPicture, nameOf } from "../screenshots/formats.ts";
import { VerdictBadge } from "../screenshots/verdict.tsx";
import { Badge } from "../ui/badge.tsx";
import { CopyAction } from "../ui/copy.tsx";
import { bytesOf } from "../ui/format.ts";
import { Prose } from "../ui/prose.tsx";
import { Warnings } from "./warnings.tsx";

const frameSizes = { alone: "h-[clamp(18rem,56dvh,52rem)]", beside: "h-72" };
const linkClass = "font-medium text-accent underline underline-offset-4";
const fileOf = (id: string) => `/v1/account/screenshots/${id}/image`;

interface OutputPreviewProps {
  output: CaptureOutput;
  /** What was captured: its URL, or the kind of document. */
  page: string;
  /** Whether it is the only output. */
  isAlone: boolean;
}

export function OutputPreview({ output, page, isAlone }: OutputPreviewProps) {
  const { name, id = "", format = "", url, bytes = 0, width, height, cache, verdict, warnings = [], error, slices } = output;
  const frameSize = frameSizes[isAlone ? "alone" : "beside"];
  const file = fileOf(id);
  const what = `${page}, ${name}`;
  return (
    <article aria-label={name} className="grid min-w-0 gap-3">
      <h3 className={isAlone ? "sr-only" : "font-medium wrap-anywhere"}>{name}</h3>
      {slices ? (
        <Slices slices={slices} what={what} frameSize={frameSize} />
      ) : error || !url ? (
        <div className={`grid place-items-center rounded-lg border border-line bg-sunken p-6 text-center ${frameSize}`}>
          <p className={`min-w-0 wrap-anywhere ${error ? "text-bad" : "text-muted"}`}>
            <Prose text={error?.message ?? "The file could not be stored."} />
          </p>
        </div>
      ) : isPicture(format) ? (
        <a
          href={file}
          target="_blank"
          rel="noreferrer"
          className={`grid grid-rows-[minmax(0,1fr)] place-items-center rounded-lg border border-line bg-sunken ${frameSize}`}
        >
          <img src={file} alt={`Screenshot of ${what}`} className="checkered max-h-full max-w-full object-contain" />
        </a>
      ) : (
        <DocumentView id={id} format={format} url={what} size={frameSize} open={() => send(file)} />
      )}
      <Warnings warnings={warnings} />
      {!error && (
        <p className="tabular flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
          {width && height ? `${width} × ${height} pixels, ` : ""}
          {bytesOf(bytes)} {nameOf(format)}
          {cache === "HIT" && <Badge tone="good">{cache}</Badge>}
          {verdict && <VerdictBadge screenshot={{ verdict: verdict.kind, verdict_reason: verdict.reasons[0] ?? null }} />}
        </p>
      )}
      {!error && !slices && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
          {url && <CopyAction label="Copy link" icon="link" copy={async () => await navigator.clipboard.writeText(url)} />}
          {url && (
            <a href={`${file}?download=true`} className={linkClass}>
              Download
            </a>
          )}
          <Link to="/screenshots/$id" params={{ id }} className={linkClass}>
            Details
          </Link>
        </div>
      )}
    </article>
  );
}

/** List of slices, each linking to its own record. */
function Slices({ slices, what, frameSize }: { slices: NonNullable<CaptureOutput["slices"]>; what: string; frameSize: string }) {
  return (
    <ol className={`grid content-start gap-3 overflow-y-auto rounded-lg border border-line bg-sunken p-3 ${frameSize}`}>
      {slices.map(({ id, y, width, height, url }, index) => (
        <li key={id} className="grid min-w-0 gap-1">
          {url ? (
            <img src={fileOf(id)} alt={`Slice ${index + 1} of ${what}`} loading="lazy" className="checkered w-full" />
          ) : (
            <p className="text-muted">The file could not be stored.</p>
          )}
          <p className="tabular flex flex-wrap gap-x-3 text-sm text-muted">
            Slice {index + 1}: {width} × {height} pixels, from row {y}
            <Link to="/screenshots/$id" params={{ id }} className={linkClass}>
              Details <span className="sr-only">of slice {index + 1}</span>
            </Link>
          </p>
        </li>
      ))}
    </ol>
  );
}
