/** A stored screenshot in lists: its image, or the format of its document. Decorative: the link beside it names the page. */

import type { HistoryEntry } from "../api/types.ts";
import { DocumentTile } from "./document-tile.tsx";
import { isImage } from "./formats.ts";

export function Thumbnail({ image, format, small = false }: Pick<HistoryEntry, "image" | "format"> & { small?: boolean }) {
  if (!image) return null;
  if (format && !isImage(format)) return <DocumentTile format={format} small={small} />;
  return <img src={image} alt="" loading="lazy" decoding="async" className="checkered size-full object-cover object-left-top" />;
}
