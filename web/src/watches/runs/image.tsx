/** The image of a run without a comparison, or why there is no image. */

import type { WatchRun } from "../../api/types.ts";
import { MarkedImage } from "../comparison/marked-image.tsx";
import type { Side } from "../comparison/sides.ts";
import { Viewport } from "../comparison/viewport.tsx";

interface RunImageProps {
  run: WatchRun;
  side: Side | undefined;
  selected: number | undefined;
}

export function RunImage({ run: { status, regions }, side, selected }: RunImageProps) {
  if (side)
    return (
      <Viewport label="Image" selected={selected}>
        <MarkedImage side={side} regions={regions} selected={selected} />
      </Viewport>
    );
  const isOpen = status === "queued" || status === "running";
  return (
    <div className="grid aspect-16/10 place-items-center rounded-2xl border border-dashed border-edge/60 p-6 text-center text-muted">
      {isOpen
        ? "It has not ended yet."
        : status === "failed"
          ? "No image: the run failed."
          : "The image has been deleted after its retention period."}
    </div>
  );
}
