/** A screenshot's image or document, or why there is none. */

import { send } from "../api/client.ts";
import type { StoredScreenshot } from "../api/screenshot-queries.ts";
import { DocumentView } from "./document-view.tsx";
import { isPicture, nounOf } from "./formats.ts";

interface ScreenshotFileProps {
  screenshot: StoredScreenshot;
  /** The requested format: failed screenshots have none of their own. */
  format: string;
}

export function ScreenshotFile({ screenshot: { id, image, url, width, height, status }, format }: ScreenshotFileProps) {
  if (image && !isPicture(format))
    return <DocumentView id={id} format={format} url={url} tileSize="aspect-16/10" open={() => send(image)} />;
  if (image)
    return (
      <a href={image} className="block overflow-hidden rounded-2xl border border-line bg-sunken">
        <img
          src={image}
          alt={`Screenshot of ${url}`}
          width={width ?? undefined}
          height={height ?? undefined}
          className="checkered h-auto w-full"
        />
      </a>
    );
  return (
    <div className="grid aspect-16/10 place-items-center rounded-2xl border border-dashed border-edge/60 p-6 text-center text-muted">
      {status === "pending"
        ? "Pending"
        : status === "failed"
          ? `No ${nounOf(format)}: the capture failed.`
          : `The ${nounOf(format)} could not be stored. It was charged only if it was delivered.`}
    </div>
  );
}
