/** One of a run's images, with the boxes of its regions. */

import { type Box, percent, type Region, type Side } from "./sides.ts";

interface MarkedImageProps {
  side: Side;
  regions: Region[];
  selected: number | undefined;
  /** An area with the image at its top left, such as the size of the larger image. */
  canvas?: { width: number; height: number };
}

const looks: Record<Region["kind"], string> = {
  changed: "border-warn bg-warn/15",
  added: "border-good bg-good/15",
  removed: "border-bad bg-bad/15",
  moved: "border-accent bg-accent/10",
};

export function MarkedImage({ side, regions, selected, canvas = side }: MarkedImageProps) {
  return (
    <div className="relative overflow-hidden" style={{ aspectRatio: `${canvas.width} / ${canvas.height}` }}>
      <img
        src={side.source}
        alt={side.name === "before" ? "The page before" : "The page after"}
        className="checkered absolute top-0 left-0 h-auto max-w-none"
        style={{ width: percent(side.width, canvas.width) }}
        draggable={false}
      />
      {regions.map((region, index) => {
        const box = region[side.name];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the regions of a run never change
          box && <Marked key={index} box={box} canvas={canvas} look={looks[region.kind]} isSelected={index === selected} />
        );
      })}
    </div>
  );
}

function Marked({
  box,
  canvas,
  look,
  isSelected,
}: {
  box: Box;
  canvas: { width: number; height: number };
  look: string;
  isSelected: boolean;
}) {
  return (
    <span
      aria-hidden="true"
      data-selected={isSelected || undefined}
      className={`pointer-events-none absolute rounded-xs border-2 ${look} ${isSelected ? "z-10 outline-4 outline-offset-2 outline-accent" : ""}`}
      style={{
        left: percent(box.x, canvas.width),
        top: percent(box.y, canvas.height),
        width: percent(box.width, canvas.width),
        height: percent(box.height, canvas.height),
      }}
    />
  );
}
