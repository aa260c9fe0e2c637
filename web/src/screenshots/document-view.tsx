/** A captured document: its text, a video, or what to do with a file that can't be shown inside a page. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { bytesOf } from "../ui/format.ts";
import { Prose } from "../ui/prose.tsx";
import { useObjectUrl } from "../ui/use-object-url.ts";
import { DocumentTile } from "./document-tile.tsx";
import { isJson, isText, isVideo } from "./formats.ts";
import { readStart, shownBytesMax } from "./read-start.ts";

interface DocumentViewProps {
  /** Id of the screenshot. */
  id: string;
  format: string;
  /** URL of the captured page. */
  url: string;
  /** Fetches the document. */
  open: () => Promise<Response>;
  /** Shown over the document. */
  cover?: ReactNode;
  /** Classes that set the size of the frame. */
  size?: string;
  /** Classes that set the size of the tile for a file that isn't shown. */
  tileSize?: string;
}

const defaultSize = "h-[clamp(18rem,68dvh,52rem)]";
const frame = "rounded-lg border border-line bg-sunken";

/** Has a fixed size, so that the layout below doesn't shift when the text arrives. */
export function DocumentView({ format, cover, size = defaultSize, tileSize = size, ...document }: DocumentViewProps) {
  if (isText(format)) return <DocumentText {...document} format={format} cover={cover} size={size} />;
  if (isVideo(format)) return <DocumentVideo {...document} cover={cover} size={tileSize} />;
  return (
    <div className={`relative grid content-center gap-3 p-6 text-center ${frame} ${tileSize}`}>
      <div>
        <DocumentTile format={format} />
      </div>
      <p className="text-sm text-muted">
        {format === "pdf" ? "Open it in a new tab, or download it." : "Download it, and open the file in a browser."}
      </p>
      {cover}
    </div>
  );
}

/** Shown as plain text, whatever markup it contains. */
function DocumentText({ id, format, url, open, cover, size }: Omit<DocumentViewProps, "tileSize">) {
  const { data: start, error } = useQuery({
    queryKey: ["screenshots", id, "text"],
    queryFn: async () => await readStart(await open()),
    staleTime: Number.POSITIVE_INFINITY, // a document never changes
  });
  return (
    <div className="grid min-w-0 gap-3">
      <div className="relative min-w-0">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
        <section aria-label={`Document of ${url}`} tabIndex={0} className={`overflow-auto p-4 ${frame} ${size}`}>
          <pre className="font-mono text-[0.8125rem] leading-relaxed wrap-anywhere whitespace-pre-wrap">
            {start && (isJson(format) && !start.isCut ? indented(start.text) : start.text)}
          </pre>
          {error && (
            <p role="alert">
              <Prose text={error.message} />
            </p>
          )}
        </section>
        {cover}
      </div>
      {start?.isCut && (
        <p role="note" className="text-sm text-muted">
          Only the first {bytesOf(shownBytesMax)} are shown. The download is complete.
        </p>
      )}
    </div>
  );
}

const indented = (json: string): string => JSON.stringify(JSON.parse(json), null, 2);

/** Fetched completely: browsers seek only in files whose server answers requests for parts. */
function DocumentVideo({ id, url, open, cover, size }: Pick<DocumentViewProps, "id" | "url" | "open" | "cover" | "size">) {
  const { data, error } = useQuery({
    queryKey: ["screenshots", id, "video"],
    queryFn: async () => await (await open()).blob(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const source = useObjectUrl(data);
  return (
    <div className={`relative grid grid-rows-[minmax(0,1fr)] place-items-center ${frame} ${size}`}>
      {error && (
        <p role="alert" className="p-6">
          <Prose text={error.message} />
        </p>
      )}
      {source && (
        <video src={source} aria-label={`Recording of ${url}`} controls muted loop playsInline className="max-h-full max-w-full" />
      )}
      {cover}
    </div>
  );
}
