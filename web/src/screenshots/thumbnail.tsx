/** A stored screenshot in lists: its image, or the format of its document. Decorative: the link next to it names the page. */

import { useState } from "react";
import type { HistoryEntry } from "../api/types.ts";
import { DocumentTile } from "./document-tile.tsx";
import { isImage } from "./formats.ts";

export function Thumbnail({ image, format, small = false }: Pick<HistoryEntry, "image" | "format"> & { small?: boolean }) {
  // The pattern indicates transparency; before the image has loaded it would flicker.
  const [isLoaded, setLoaded] = useState(false);
  if (!image) return null;
  if (format && !isImage(format)) return <DocumentTile format={format} small={small} />;
  return (
    <img
      src={image}
      alt=""
      loading="lazy"
      onLoad={() => setLoaded(true)}
      className={`size-full object-cover object-left-top motion-safe:transition-opacity ${isLoaded ? "checkered" : "opacity-0"}`}
    />
  );
}
