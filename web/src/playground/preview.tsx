/** The captured screenshot and the details of its response. */

import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { ApiError } from "../api/client.ts";
import { DocumentView } from "../screenshots/document-view.tsx";
import { isPicture, nameOf } from "../screenshots/formats.ts";
import { VerdictBadge, verdictNames } from "../screenshots/verdict.tsx";
import { Badge } from "../ui/badge.tsx";
import { bytesOf, durationOf } from "../ui/format.ts";
import { frameHeight, ImageViewer } from "../ui/image-viewer.tsx";
import { Notice } from "../ui/notice.tsx";
import { Fact, Facts } from "../ui/page.tsx";
import { Prose } from "../ui/prose.tsx";
import { useObjectUrl } from "../ui/use-object-url.ts";
import { FileActions } from "./file-actions.tsx";
import type { Values } from "./parameters.ts";
import { RecordingTime } from "./recording-time.tsx";
import { Sample } from "./sample.tsx";
import type { Screenshot } from "./take.ts";
import { Warnings } from "./warnings.tsx";

interface PreviewProps {
  screenshot: Screenshot | undefined;
  pending: boolean;
  /** Set if the pending one is a recording: the seconds that it may take. */
  recordingLimit: number | undefined;
  /** Shown if there is no screenshot; if undefined, a sample is shown. */
  note: string | undefined;
  /** Options of the next capture, which determine how the sample looks. */
  options: Values;
  error: Error | null;
}

/** Has a fixed size, so that the layout below doesn't shift. */
export function Preview({ screenshot, pending, recordingLimit, note, options, error }: PreviewProps) {
  const failed = error instanceof ApiError ? error.image : undefined;
  const source = useObjectUrl(failed ?? screenshot?.file);
  const taken = error ? undefined : screenshot;
  const [size, setSize] = useState<{ width: number; height: number }>();
  const cover = pending && (
    <div className="absolute inset-0 grid place-items-center rounded-lg bg-surface/80">
      {recordingLimit === undefined ? (
        <p className="font-medium motion-safe:animate-pulse">Capturing…</p>
      ) : (
        <RecordingTime limit={recordingLimit} />
      )}
    </div>
  );
  return (
    <div className="grid gap-4">
      {taken && <Findings screenshot={taken} />}
      {source && taken && !isPicture(taken.format) ? (
        <DocumentPreview screenshot={taken} source={source} cover={cover} />
      ) : source && (taken || failed) ? (
        <ImageViewer
          source={source}
          alt={error ? error.message : `Screenshot of ${taken?.targetUrl}`}
          cover={cover}
          onSize={setSize}
          actions={taken && <FileActions screenshot={taken} source={source} />}
        />
      ) : (
        <div
          className={`relative grid grid-cols-1 grid-rows-1 place-items-center overflow-hidden rounded-lg border border-line bg-sunken ${frameHeight}`}
        >
          {!pending && !error && note === undefined && <Sample options={options} />}
          {!pending && (error || note) && (
            <p role={error ? "alert" : undefined} className={`max-w-sm p-6 text-center ${error ? "text-bad" : "text-muted"}`}>
              <Prose text={error?.message ?? note ?? ""} />
            </p>
          )}
          {cover}
        </div>
      )}
      {taken && <Details screenshot={taken} size={isPicture(taken.format) ? size : undefined} />}
    </div>
  );
}

function DocumentPreview({ screenshot, source, cover }: { screenshot: Screenshot; source: string; cover: ReactNode }) {
  const { id, format, targetUrl, file } = screenshot;
  return (
    <div className="grid min-w-0 gap-3">
      <DocumentView key={id} id={id} format={format} url={targetUrl} open={async () => new Response(file)} cover={cover} />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <FileActions screenshot={screenshot} source={source} />
      </div>
    </div>
  );
}

/** Findings to know before using the image; shown above it, so that they are visible without scrolling. */
function Findings({ screenshot: { verdict, verdictReason, warnings } }: { screenshot: Screenshot }) {
  return (
    <>
      {verdictNames[verdict] && (
        <Notice tone="warn">
          <VerdictBadge screenshot={{ verdict, verdict_reason: null }} /> <Prose text={verdictReason} />
        </Notice>
      )}
      <Warnings warnings={warnings} />
    </>
  );
}

const cacheTones: Record<string, "plain" | "warn"> = { MISS: "plain", STALE: "warn" };

function Details({ screenshot, size }: { screenshot: Screenshot; size: { width: number; height: number } | undefined }) {
  const total = screenshot.timings.find(({ name }) => name === "total");
  return (
    <Facts>
      <Fact name="Size">
        {size ? `${size.width} × ${size.height} pixels, ` : ""}
        {bytesOf(screenshot.file.size)} {nameOf(screenshot.format)}
      </Fact>
      <Fact name="Cache">
        <Badge tone={cacheTones[screenshot.cache] ?? "good"}>{screenshot.cache}</Badge>
      </Fact>
      <Fact name="Page">
        {screenshot.targetStatus && <Badge tone={Number(screenshot.targetStatus) < 400 ? "good" : "warn"}>{screenshot.targetStatus}</Badge>}{" "}
        {screenshot.targetUrl}
      </Fact>
      <Fact name="More">
        <Link to="/screenshots/$id" params={{ id: screenshot.id }} className="text-accent underline underline-offset-4">
          What happened during the capture
        </Link>
      </Fact>
      {total && (
        <Fact name="Duration">
          {durationOf(total.ms)}
          <span className="text-muted">
            {" "}
            {screenshot.timings
              .filter(({ name }) => name !== "total")
              .map(({ name, ms }) => `${name} ${durationOf(ms)}`)
              .join(" · ")}
          </span>
        </Fact>
      )}
    </Facts>
  );
}
