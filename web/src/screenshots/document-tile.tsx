/** The format of a document, in place of a thumbnail. */

import { Icon } from "../ui/icon.tsx";
import { nameOf } from "./formats.ts";

export function DocumentTile({ format, small = false }: { format: string; small?: boolean }) {
  return (
    <div
      className={`grid size-full place-content-center justify-items-center text-muted ${small ? "gap-0.5 text-[0.6875rem] leading-tight" : "gap-2 text-sm"}`}
    >
      <Icon name="document" className={small ? "size-3.5" : "size-7"} />
      {nameOf(format)}
    </div>
  );
}
